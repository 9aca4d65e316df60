import { expect, test } from '@jest/globals';
import { tableLines } from '../../../src/cli/terminal/table.ts';

test('columns are as wide as their longest cell', () => {
  expect(
    tableLines(
      ['ID', 'STATUS'],
      [
        ['a', 'up'],
        ['long', ''],
      ],
    ),
  ).toEqual(['ID    STATUS', 'a     up', 'long']);
  expect(tableLines(['ID'], [])).toEqual([]);
});

test('no cell of a stranger moves the cursor, begins a line or turns one around', () => {
  const rows = [['\u001b[31mRED\u001b[2J', 'a\nb\u0000\u009b', '\u202eabc\u2066']];
  expect(tableLines(['1', '2', '3'], rows).at(-1)).toBe('[31mRED[2J  a b  abc');
});
