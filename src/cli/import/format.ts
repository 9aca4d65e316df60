import { UsageError } from '../terminal/exit.ts';

/** What can be imported, by the usual ending of a file's name. */
export const formats = ['nt', 'nq', 'ttl', 'trig', 'jsonld', 'jsonl'] as const;
export type Format = (typeof formats)[number];

const endings: Record<string, Format> = {
  nt: 'nt',
  nq: 'nq',
  ttl: 'ttl',
  trig: 'trig',
  jsonld: 'jsonld',
  json: 'jsonld',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
};

/**
 * The format of a file by its name; `.gz` behind it doesn't count.
 * @throws UsageError
 */
export function formatOf(file: string): Format {
  const ending = /\.([^./\\]+)$/.exec(file.replace(/\.gz$/, ''))?.[1]?.toLowerCase() ?? '';
  const format = Object.hasOwn(endings, ending) ? endings[ending] : undefined;
  if (format !== undefined) return format;
  throw new UsageError(`The name ${file} doesn't tell the format; say it with --format ${formats.join('|')}.`);
}

/** Whether every line, or node of JSON-LD, stands for itself, so that a faulty one can be left out. */
export function isByLine(format: Format): boolean {
  return format !== 'ttl' && format !== 'trig';
}
