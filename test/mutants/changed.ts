import { execFileSync } from 'node:child_process';

/** The first and the last of some lines, from 1. */
export type Lines = readonly [from: number, to: number];

/**
 * The lines of each file that differ from a commit, those that are not yet committed included. @throws Error of git's
 */
export function linesChangedSince(ref: string, root: string): Map<string, Lines[]> {
  const args = ['diff', '--unified=0', '--no-color', '--no-ext-diff', '--no-prefix', '--end-of-options', ref, '--'];
  return linesOf(execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }));
}

/**
 * What a diff without context and prefixes adds or changes. A file of which lines were only taken has none, but is
 * there.
 */
export function linesOf(diff: string): Map<string, Lines[]> {
  const files = new Map<string, Lines[]>();
  let lines: Lines[] = [];
  for (const line of diff.split('\n')) {
    const file = /^\+\+\+ (.*?)\t?$/.exec(line)?.[1];
    if (file !== undefined) {
      lines = [];
      if (file !== '/dev/null') files.set(file, lines);
    }
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (start !== undefined && count !== '0') lines.push([Number(start), Number(start) + Number(count) - 1]);
  }
  return files;
}
