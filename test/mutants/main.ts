import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import stop from '../setup/stop.mjs';
import { chosen, type Mutant, requireKnown } from './apply.ts';
import { filesOf, type Module, modules } from './modules.ts';
import { mutants } from './mutants.ts';
import { runOwn } from './own.ts';
import { isEnough, type Outcome, report, scoresOf } from './score.ts';
import { runStryker } from './stryker.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const say = (line: string) => process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${line}\n`);

interface Options {
  changed?: string;
  own?: true;
  stryker?: true;
  list?: true;
}

/** What one run tries. */
interface Plan {
  own: Mutant[];
  stryker: { module: Module; files: string[] }[];
}

function planOf(names: string[], { changed, own, stryker }: Options): Plan {
  const known = [...new Set([...modules.map(({ name }) => name), ...mutants.map(({ module }) => module)])];
  requireKnown(names, known);
  const touched = changed === undefined ? undefined : filesSince(changed);
  const isAsked = (file: string) => touched?.has(file) ?? true;
  const both = own === stryker;
  return {
    own:
      own || both ? chosen(mutants, ({ module }) => module, names).filter(({ file }) => isAsked(file)) : [],
    stryker:
      stryker || both
        ? chosen(modules, ({ name }) => name, names)
            .map((module) => ({ module, files: filesOf(module, root).filter(isAsked) }))
            .filter(({ files }) => files.length > 0)
        : [],
  };
}

/** The files that differ from a commit, those that are not yet committed included. */
function filesSince(ref: string): Set<string> {
  const args = ['diff', '--name-only', '--end-of-options', ref, '--'];
  return new Set(execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n'));
}

async function run(names: string[], options: Options): Promise<void> {
  const plan = planOf(names, options);
  if (options.list) {
    for (const { module, files } of plan.stryker)
      for (const file of files) console.log(`stryker: ${module.name}: ${file}`);
    for (const { module, file, what } of plan.own) console.log(`own: ${module}: ${file}: ${what}`);
    return;
  }
  if (plan.own.length + plan.stryker.length === 0) say('There is nothing to try');
  const outcomes: Outcome[] = [];
  for (const { module, files } of plan.stryker) {
    say(`StrykerJS: ${module.name}, files: ${files.length}`);
    outcomes.push(...(await runStryker(root, module, files)));
  }
  if (plan.own.length > 0) outcomes.push(...(await runOwn(root, plan.own, say)));
  console.log(report(outcomes));
  if (!scoresOf(outcomes).every(isEnough)) process.exitCode = 1;
}

// What was started ends with the process: the tests as it exits, and Neo4j, if there is one, before.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop()
      .catch(() => {})
      .finally(() => process.exit(1));
  });
}

await new Command('mutants')
  .description('Breaks the code in small ways and says which of them the tests notice.')
  .argument('[modules...]', 'only these')
  .option('--changed <git ref>', 'only files that differ from it')
  .option('--own', 'only the mutants of test/mutants/mutants.ts, which need Neo4j')
  .option('--stryker', 'only those that StrykerJS makes')
  .option('--list', 'say what would be tried, and try nothing')
  .action(async (names: string[], options: Options) => {
    try {
      await run(names, options);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  })
  .parseAsync();
