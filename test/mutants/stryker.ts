import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lines } from './changed.ts';
import type { Module } from './modules.ts';
import { runNode } from './run.ts';
import type { Outcome } from './score.ts';

/** A file to change, as a whole or in some of its lines. */
export interface Target {
  file: string;
  lines?: Lines[];
}

/** So many mutants of a module, by chance; the same ones for the same seed. */
export interface Sample {
  count: number;
  seed: number;
}

interface StrykerMutant {
  status: string;
  mutatorName: string;
  replacement?: string;
  location: { start: { line: number }; end: { line: number } };
}

/**
 * Lets StrykerJS change these files of a module.
 * @param sample absent for all that there is to try
 * @returns undefined where the time was too short
 * @throws Error where it can't, or where a test fails without a change
 */
export async function runStryker(
  root: string,
  module: Module,
  targets: Target[],
  timeoutMs: number,
  sample?: Sample,
): Promise<Outcome[] | undefined> {
  const folder = join('.cache/mutants', module.name);
  const reportFile = join(root, folder, 'mutants.json');
  await rm(reportFile, { force: true });
  const bin = 'node_modules/@stryker-mutator/core/bin/stryker.js';
  const places = targets.flatMap(({ file, lines }) =>
    lines === undefined ? [file] : lines.map(([from, to]) => `${file}:${from}-${to}`),
  );
  const args = [bin, 'run', 'test/mutants/stryker.config.mjs', '--mutate', places.join(',')];
  const { kind, said } = await runNode(args, {
    cwd: root,
    env: {
      MUTANT_TESTS: module.tests.join('\n'),
      MUTANT_REPORTS: folder,
      ...(sample && { MUTANT_SAMPLE: `${sample.count}`, MUTANT_SEED: `${sample.seed}` }),
    },
    timeoutMs,
    echo: true,
  });
  if (kind === 'timed out') return undefined;
  if (kind !== 'passed') throw new Error(`StrykerJS ${kind} with ${module.name}:\n${said}`);
  const report: { files: Record<string, { mutants: StrykerMutant[] }> } = JSON.parse(
    await readFile(reportFile, 'utf8'),
  );
  // An incremental report also holds files and lines of earlier runs.
  return targets.flatMap(({ file, lines }) =>
    (report.files[file]?.mutants ?? [])
      .filter(
        ({ location: { start, end } }) => lines?.some(([from, to]) => start.line >= from && end.line <= to) ?? true,
      )
      .flatMap((mutant) => outcomeOf(module.name, file, mutant)),
  );
}

/** None of a mutant that was not tried. */
function outcomeOf(module: string, file: string, mutant: StrykerMutant): Outcome[] {
  const kind = kinds[mutant.status];
  if (kind === undefined) return [];
  const replacement = (mutant.replacement ?? '').replace(/\s+/g, ' ').slice(0, 80);
  const what = `${file}:${mutant.location.start.line}: ${mutant.mutatorName}: ${replacement}`;
  return [{ module, kind, what }];
}

const kinds: Record<string, Outcome['kind'] | undefined> = {
  Killed: 'killed',
  Timeout: 'timed out',
  Survived: 'survived',
  NoCoverage: 'survived',
};
