/** A table for people: a line of titles and one for each row; no line at all without rows. */
export function tableLines(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const lines = [titles, ...rows.map((row) => row.map(harmless))];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    titles
      .map((_, column) => (line[column] ?? '').padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A value as a cell shows it, on one line. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value.replace(/\s+/g, ' ') : JSON.stringify(value);
}

/** What strangers have written moves no cursor, colours nothing, and turns no line around. */
function harmless(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
}
