import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import stop from '../setup/stop.mjs';
import { chosen, type Mutant, requireKnown } from './apply.ts';
import { linesChangedSince } from './changed.ts';
import { filesOf, type Module, modules } from './modules.ts';
import { mutants } from './mutants.ts';
import { type Budget, runOwn } from './own.ts';
import { isEnough, type Outcome, report, scoresOf } from './score.ts';
import { runStryker, type Sample, type Target } from './stryker.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What StrykerJS may need for all. */
const longestMinutes = 24 * 60;

/** How the process ends where there was something to try, and no time to. */
const nothingTried = 3;

const say = (line: string) => process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${line}\n`);

interface Options {
  changed?: string;
  own?: true;
  stryker?: true;
  list?: true;
  minutes?: number;
  sample?: number;
  seed?: number;
}

/** What one run tries. */
interface Plan {
  own: Mutant[];
  stryker: { module: Module; targets: Target[] }[];
}

function planOf(names: string[], { changed: since, own, stryker }: Options): Plan {
  const known = [...new Set([...modules.map(({ name }) => name), ...mutants.map(({ module }) => module)])];
  requireKnown(names, known);
  const changed = since === undefined ? undefined : linesChangedSince(since, root);
  const isTouched = (file: string) => changed?.has(file) ?? true;
  const targetOf = (file: string): Target => ({ file, ...(changed && { lines: changed.get(file) ?? [] }) });
  const both = own === stryker;
  return {
    own:
      own || both
        ? chosen(mutants, ({ module }) => module, names).filter(({ file, tests }) => [file, ...tests].some(isTouched))
        : [],
    stryker:
      stryker || both
        ? chosen(modules, ({ name }) => name, names)
            .map((module) => ({
              module,
              targets: filesOf(module, root)
                .map(targetOf)
                .filter(({ lines }) => lines?.length !== 0),
            }))
            .filter(({ targets }) => targets.length > 0)
        : [],
  };
}

async function run(names: string[], options: Options): Promise<void> {
  const plan = planOf(names, options);
  if (options.list) {
    for (const { module, targets } of plan.stryker)
      for (const { file, lines } of targets)
        console.log(`stryker: ${module.name}: ${file}${lines?.map((each) => ` ${each.join('-')}`).join(',') ?? ''}`);
    for (const { module, file, what } of plan.own) console.log(`own: ${module}: ${file}: ${what}`);
    return;
  }
  if (plan.own.length + plan.stryker.length === 0) {
    say('There is nothing to try');
    return;
  }
  const outcomes: Outcome[] = [];
  const end = performance.now() + (options.minutes ?? longestMinutes) * 60_000;
  const budget: Budget = { left: () => Math.max(0, end - performance.now()), say };
  if (plan.own.length > 0) outcomes.push(...(await runOwn(root, plan.own, budget)));
  const sample = sampleOf(options);
  for (const { module, targets } of plan.stryker) {
    const part = sample ? `, a sample of ${sample.count} by --seed ${sample.seed}` : '';
    say(`StrykerJS: ${module.name}, files: ${targets.length}${part}`);
    const found = budget.left() > 0 ? await runStryker(root, module, targets, budget.left(), sample) : undefined;
    if (found === undefined) say(`${module.name} is not tried to the end: the time is over`);
    outcomes.push(...(found ?? []));
  }
  if (outcomes.length === 0) {
    say('Nothing was tried: the time was over before the tests had run without a change. Give it more --minutes.');
    process.exitCode = nothingTried;
    return;
  }
  console.log(report(outcomes));
  if (!scoresOf(outcomes).every(isEnough)) process.exitCode = 1;
}

function sampleOf({ sample: count, seed = randomInt(1_000_000_000) }: Options): Sample | undefined {
  return count === undefined ? undefined : { count, seed };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
}

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (!(minutes > 0 && minutes <= longestMinutes))
    throw new InvalidArgumentError(`Use a number of minutes up to ${longestMinutes}.`);
  return minutes;
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
  .option('--changed <git ref>', 'only what differs from it')
  .option('--minutes <number>', 'try no more when they are over, and say so', minutesOf)
  .option('--own', 'only the mutants of test/mutants/mutants.ts, which need Neo4j')
  .option('--stryker', 'only those that StrykerJS makes')
  .option('--sample <number>', 'of each module only so many of those that StrykerJS makes, by chance', wholeNumber)
  .option('--seed <number>', 'which ones, as an earlier run has said', wholeNumber)
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
