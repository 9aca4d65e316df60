import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { applied, chosen, type Mutant, requireKnown } from './apply.ts';
import { linesOf } from './changed.ts';
import { builtOf, compiled } from './compiled.ts';
import { filesOf, modules } from './modules.ts';
import { mutants } from './mutants.ts';
import { sampled } from './sample.mjs';
import { report, scoresOf } from './score.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (file: string) => readFileSync(`${root}/${file}`, 'utf8');

const mutant: Mutant = { module: 'm', what: 'w', file: 'f.ts', find: 'a < b', put: "$& $' a", tests: [] };

describe('a mutant', () => {
  it('replaces its text by exactly what it puts there', () => {
    expect(applied(mutant, 'if (a < b) c')).toBe("if ($& $' a) c");
  });

  it.each(['a > b', 'a < b || a < b'])('is refused where its text is not there once: %s', (text) => {
    expect(() => applied(mutant, text)).toThrow('f.ts: "w"');
  });

  it.each(mutants)('of the list is found: $file: $what', (each) => {
    expect(applied(each, textOf(each.file))).not.toBe(textOf(each.file));
    expect(each.tests.length).toBeGreaterThan(0);
    for (const test of each.tests) expect(textOf(test)).not.toBe('');
  });
});

describe('a changed file', () => {
  it('stands where the build has it, with its imports as that has them', () => {
    expect(builtOf('src/base/errors.ts')).toBe('dist/base/errors.js');
    const text = "import { one, type Two } from './one.ts';\nexport const two: Two = one;\n";
    expect(compiled(text)).toMatch(/^import \{ one \} from ["']\.\/one\.js["'];\s+export const two = one;\s*$/);
  });
});

describe('the modules', () => {
  it('are all taken where none is named, and else those that are', () => {
    expect(chosen(['a', 'b'], (each) => each, [])).toEqual(['a', 'b']);
    expect(chosen(['a', 'b'], (each) => each, ['b'])).toEqual(['b']);
  });

  it('are refused where there is none of that name', () => {
    expect(() => requireKnown(['a', 'c'], ['a', 'b'])).toThrow('There is no module c; use some of: a, b');
  });

  it('have files and tests that are there, and none that is generated', () => {
    for (const module of modules) {
      const files = filesOf(module, root);
      for (const file of [...files, ...module.tests]) expect(textOf(file)).not.toBe('');
      expect(files.filter((file) => file.includes('generated'))).toEqual([]);
    }
  });
});

describe('what a commit changed', () => {
  it('is the lines that it added, by file, and no file that is gone', () => {
    const diff = [
      'diff --git a.ts a.ts',
      '--- a.ts',
      '+++ a.ts',
      '@@ -1 +2 @@ function f() {',
      '-x',
      '+y',
      '@@ -7,0 +9,3 @@',
      '+one',
      '--- b.ts',
      '+++ b.ts',
      '@@ -3,2 +2,0 @@',
      '--- c.ts',
      '+++ /dev/null',
      '@@ -1,2 +0,0 @@',
      '--- /dev/null',
      '+++ with a space.ts\t',
      '@@ -0,0 +1,4 @@',
    ].join('\n');
    expect([...linesOf(diff)]).toEqual([
      [
        'a.ts',
        [
          [2, 2],
          [9, 11],
        ],
      ],
      ['b.ts', []],
      ['with a space.ts', [[1, 4]]],
    ]);
  });
});

describe('the scores', () => {
  it('count a test that never ends as one that notices, and name what survives', () => {
    const outcomes = [
      { module: 'b', kind: 'killed', what: '1' },
      { module: 'b', kind: 'timed out', what: '2' },
      { module: 'ledger', kind: 'survived', what: '3' },
      { module: 'qualify/text', kind: 'killed', what: '4' },
    ] as const;
    expect(scoresOf([...outcomes])).toEqual([
      { module: 'b', killed: 1, survived: 0, timedOut: 1, score: 100, threshold: 85 },
      { module: 'ledger', killed: 0, survived: 1, timedOut: 0, score: 0, threshold: 90 },
      { module: 'qualify/text', killed: 1, survived: 0, timedOut: 0, score: 100, threshold: 90 },
    ]);
    expect(report([...outcomes])).toContain('survived: ledger: 3');
  });
});

describe('a sample', () => {
  const ids = Array.from({ length: 100 }, (_, index) => `${index}`);

  it('has so many of all, the same for the same seed, whatever their order', () => {
    const one = sampled(ids, 20, '1');
    expect([...one].every((id) => ids.includes(id)) && one.size).toBe(20);
    expect(sampled(ids.toReversed(), 20, '1')).toEqual(one);
    expect(sampled(ids, 20, '2')).not.toEqual(one);
    expect(sampled(ids, 200, '1').size).toBe(100);
  });
});
