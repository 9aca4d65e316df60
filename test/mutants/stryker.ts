import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Module } from './modules.ts';
import { runNode } from './run.ts';
import type { Outcome } from './score.ts';

interface StrykerMutant {
  status: string;
  mutatorName: string;
  replacement?: string;
  location: { start: { line: number } };
}

const longestMs = 6 * 60 * 60_000;

/** Lets StrykerJS change these files of a module. @throws Error where it can't, or where a test fails without a change */
export async function runStryker(root: string, module: Module, files: string[]): Promise<Outcome[]> {
  const folder = join('.cache/mutants', module.name);
  const reportFile = join(root, folder, 'mutants.json');
  await rm(reportFile, { force: true });
  const bin = 'node_modules/@stryker-mutator/core/bin/stryker.js';
  const args = [bin, 'run', 'test/mutants/stryker.config.mjs', '--mutate', files.join(',')];
  const { kind, said } = await runNode(args, {
    cwd: root,
    env: { MUTANT_TESTS: module.tests.join('\n'), MUTANT_REPORTS: folder },
    timeoutMs: longestMs,
    echo: true,
  });
  if (kind !== 'passed') throw new Error(`StrykerJS ${kind} with ${module.name}:\n${said}`);
  const report: { files: Record<string, { mutants: StrykerMutant[] }> } = JSON.parse(
    await readFile(reportFile, 'utf8'),
  );
  return Object.entries(report.files).flatMap(([file, { mutants }]) =>
    // An incremental report also holds files of earlier runs.
    files.includes(file) ? mutants.flatMap((mutant) => outcomeOf(module.name, file, mutant)) : [],
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
