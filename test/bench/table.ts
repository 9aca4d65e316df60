import { groupBy } from '../../src/base/groupBy.ts';
import type { Figure } from './bench.ts';

interface Result {
  machine: Record<string, string | number>;
  figures: Figure[];
}

/** The figures as aligned tables for people, under the machine that they were measured on. */
export function table({ machine, figures }: Result): string {
  const machineRows = Object.entries(machine).map(([name, value]) => [name, String(value)]);
  const lines = aligned(machineRows, ['left', 'left']);
  for (const block of blocks(figures)) lines.push('', ...figuresTable(block));
  return `${lines.join('\n')}\n`;
}

/** Groups that have no column in common don't share a table. */
function blocks(figures: Figure[]): Figure[][] {
  const all: Figure[][] = [];
  for (const group of groupBy(figures, ({ group }) => group).values()) {
    const last = all.at(-1);
    const columns = new Set(last?.map(columnOf));
    if (last && group.some((figure) => columns.has(columnOf(figure)))) last.push(...group);
    else all.push([...group]);
  }
  return all;
}

function figuresTable(figures: Figure[]): string[] {
  const columns = [...new Set(figures.map(columnOf))];
  const groups = [...groupBy(figures, ({ group }) => group)].map(([group, members]) => ({
    group,
    rows: [...groupBy(members, ({ name }) => name).values()].map((row) => cells(row, columns)),
  }));
  const headings = ['', ...columns.flatMap((column) => [column, '']), 'aim'];
  const sides = ['left', ...columns.flatMap(() => ['right', 'left'] as const), 'left'] as const;
  const [head = '', ...body] = aligned([headings, ...groups.flatMap(({ rows }) => rows)], [...sides]);
  return [head, ...groups.flatMap(({ group, rows }) => [group, ...body.splice(0, rows.length)])];
}

const columnOf = ({ column }: Figure) => column ?? 'measured';

/** A row: its name, a number and a unit for each column, and the aim. */
function cells(row: Figure[], columns: string[]): string[] {
  const numbers = columns.flatMap((column) => {
    const figure = row.find((each) => columnOf(each) === column);
    return figure ? [shown(figure.value), figure.unit] : ['', ''];
  });
  return [`  ${row[0]?.name}`, ...numbers, row.find(({ aim }) => aim !== undefined)?.aim ?? ''];
}

/** Three significant digits are more than the machine is steady to. */
function shown(value: number): string {
  const magnitude = Math.abs(value);
  return value.toFixed(magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2);
}

function aligned(rows: string[][], sides: ('left' | 'right')[]): string[] {
  const widths = sides.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return sides[column] === 'right' ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
