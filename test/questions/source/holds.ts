interface Table {
  columns: { name: string }[];
  rows: unknown[][];
}

/** Whether some columns of an answer are what the statement by hand comes to, in whichever order. */
export function holds({ columns, rows }: Table, expected: unknown[][]): boolean {
  const wanted = sorted(expected);
  const width = expected[0]?.length ?? 0;
  if (width === 0) return rows.length === 0;
  return choices(columns.length, width).some(
    (choice) => sorted(rows.map((row) => choice.map((at) => row[at]))) === wanted,
  );
}

/** Ways to take so many of some columns, each once. */
function choices(columns: number, width: number): number[][] {
  if (width === 0) return [[]];
  return choices(columns, width - 1).flatMap((taken) =>
    Array.from({ length: columns }, (_, at) => at).flatMap((at) => (taken.includes(at) ? [] : [[...taken, at]])),
  );
}

function sorted(rows: unknown[][]): string {
  return JSON.stringify(rows.map((row) => JSON.stringify(row.map(plain))).sort());
}

function plain(value: unknown): string {
  const number = typeof value === 'boolean' || value === null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? String(Number(number.toPrecision(6))) : String(value);
}
