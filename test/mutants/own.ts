import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import start from '../setup/start.mjs';
import stop from '../setup/stop.mjs';
import { applied, type Mutant } from './apply.ts';
import { builtOf, compiled } from './compiled.ts';
import { type Ended, runNode } from './run.ts';
import type { Outcome } from './score.ts';

/** What the tests read, and what is changed; the packages are linked, and nothing writes there. */
const copiedParts = ['src', 'dist', 'test', 'demo', 'cypher', 'explorer', 'scripts'];
const copiedFiles = ['package.json', 'jest.config.mjs', 'tsconfig.json'];
const linkedParts = ['node_modules'];
const baselineMs = 30 * 60_000;

/** What has a time to end. */
export interface Budget {
  /** Milliseconds, at least 0. */
  left(): number;
  say(line: string): void;
}

/**
 * Runs the tests of each mutant in a copy of the project that has its change, all on one Neo4j. They are run without
 * any change before: a test that fails anyway notices nothing. Those for which the time is too short are not tried.
 * @throws Error where they fail so, or where a mutant's text is not found once
 */
export async function runOwn(root: string, mutants: Mutant[], budget: Budget): Promise<Outcome[]> {
  // Before anything costs time.
  for (const mutant of mutants) applied(mutant, await readFile(join(root, mutant.file), 'utf8'));
  const copy = await mkdtemp(join(tmpdir(), 'concord-mutants-'));
  const remove = () => rmSync(copy, { recursive: true, force: true });
  // Also where a signal ends it all.
  process.once('exit', remove);
  try {
    for (const name of [...copiedParts, ...copiedFiles])
      await cp(join(root, name), join(copy, name), { recursive: true });
    for (const name of linkedParts) await symlink(join(root, name), join(copy, name));
    await start();
    try {
      return await runAll(copy, mutants, budget);
    } finally {
      await stop();
    }
  } finally {
    process.off('exit', remove);
    remove();
  }
}

async function runAll(copy: string, mutants: Mutant[], budget: Budget): Promise<Outcome[]> {
  const usualMs = new Map<string, number>();
  const outcomes: Outcome[] = [];
  for (const [index, mutant] of mutants.entries()) {
    const place = `${index + 1} of ${mutants.length}`;
    const outcome = await tried(copy, mutant, usualMs, budget);
    if (outcome === undefined) {
      budget.say(`${place} and those behind it are not tried: the time is over`);
      break;
    }
    budget.say(`${place} ${outcome.kind}: ${outcome.what}`);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** @returns undefined where the time was too short */
async function tried(
  copy: string,
  mutant: Mutant,
  usualMs: Map<string, number>,
  budget: Budget,
): Promise<Outcome | undefined> {
  for (const test of mutant.tests) {
    if (usualMs.has(test)) continue;
    const began = performance.now();
    const { kind, said } = await runTests(copy, [test], Math.min(baselineMs, budget.left()));
    if (kind === 'timed out' && budget.left() === 0) return undefined;
    if (kind !== 'passed') throw new Error(`${test} ${kind} without a change:\n${said}`);
    usualMs.set(test, performance.now() - began);
    budget.say(`${test} passes without a change`);
  }
  const usual = mutant.tests.reduce((sum, test) => sum + (usualMs.get(test) ?? 0), 0);
  const { kind: ended } = await withMutant(copy, mutant, () =>
    runTests(copy, mutant.tests, Math.min(2 * usual + 60_000, budget.left())),
  );
  if (ended === 'timed out' && budget.left() === 0) return undefined;
  const kind = ended === 'passed' ? 'survived' : ended === 'failed' ? 'killed' : ended;
  return { module: mutant.module, kind, what: `${mutant.file}: ${mutant.what}` };
}

/** With the mutant in the source and, as the tests load that, in what was built of it. */
async function withMutant<T>(copy: string, mutant: Mutant, work: () => Promise<T>): Promise<T> {
  const [source, built] = [join(copy, mutant.file), join(copy, builtOf(mutant.file))];
  const [text, builtText] = [await readFile(source, 'utf8'), await readFile(built, 'utf8')];
  const changed = applied(mutant, text);
  await writeFile(source, changed);
  await writeFile(built, compiled(changed));
  try {
    return await work();
  } finally {
    await writeFile(source, text);
    await writeFile(built, builtText);
  }
}

/** As `npm test` does, on the Neo4j that `start` has put into the environment. */
function runTests(copy: string, tests: string[], timeoutMs: number): Promise<Ended> {
  const node = ['--max-semi-space-size=64', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [
    'node_modules/jest/bin/jest.js',
    '-c',
    'test/mutants/own.config.mjs',
    '--bail',
    '--runTestsByPath',
    ...tests,
  ];
  return runNode([...node, ...jest], { cwd: copy, env: {}, timeoutMs, echo: false });
}
