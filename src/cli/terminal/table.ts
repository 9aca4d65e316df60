/** A table for people: a line of titles and one for each row; no line at all without rows. */
export function tableLines(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const lines = [titles, ...rows];
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
