/** What became of a question: answered as it should be, answered otherwise, asked back, or not understood. */
export type Became = 'right' | 'wrong' | 'asked back' | 'declined';

/** What an answer must hold: the leaves of an answer to a query written by hand, or that there is one, or none. */
export interface Expected {
  kind: string;
  question: string;
  /** `~`: it must be asked back; `-`: it can't be answered. */
  query: string;
}

/** The questions of a file: kinds, and below them questions, each with its query indented on the next line. */
export function questionsIn(text: string): Expected[] {
  const found: Expected[] = [];
  let kind = '';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  lines.forEach((line, at) => {
    if (line.startsWith('  ')) return;
    const next = lines[at + 1] ?? '';
    if (next.startsWith('  ')) found.push({ kind, question: line, query: next.trim() });
    else kind = line;
  });
  return found;
}

/** The values in an answer but ids, each once, in order: numbers to six digits. */
export function leavesOf(value: unknown): string[] {
  const leaves = (each: unknown, key = ''): string[] => {
    if (each === null || each === undefined || key === 'id') return [];
    if (Array.isArray(each)) return each.flatMap((one) => leaves(one));
    if (typeof each === 'object') return Object.entries(each).flatMap(([name, one]) => leaves(one, name));
    return [typeof each === 'number' ? String(Number(each.toPrecision(6))) : String(each)];
  };
  return [...new Set(leaves(value))].sort();
}

/** A row of figures for each kind, and one for all. */
export function figuresOf(results: { kind: string; became: Became }[]): string[] {
  const kinds = [...new Set(results.map(({ kind }) => kind)), 'all'];
  const columns: Became[] = ['right', 'wrong', 'asked back', 'declined'];
  const rows = kinds.map((kind) => {
    const members = results.filter((each) => kind === 'all' || each.kind === kind);
    const counts = columns.map((column) => members.filter(({ became }) => became === column).length);
    return `| ${[kind, members.length, ...counts].join(' | ')} |`;
  });
  return [`| kind | questions | ${columns.join(' | ')} |`, '|---|---|---|---|---|---|', ...rows];
}
