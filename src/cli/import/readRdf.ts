import { Readable } from 'node:stream';
import { DataFactory, Parser, type Quad, StreamParser } from 'n3';
import { Faulty, type Located, type Pieces } from './faulty.ts';
import type { Format } from './format.ts';
import { linesOf } from './lines.ts';

const names = { nt: 'N-Triples', nq: 'N-Quads', ttl: 'Turtle', trig: 'TriG' } as const;
export type RdfFormat = Exclude<Format, 'jsonl' | 'jsonld'>;

/** The statements of RDF 1.2 text, those about statements among them. Blank nodes keep their labels. */
export function readRdf(bytes: AsyncIterable<Uint8Array>, format: RdfFormat): Pieces<Quad> {
  return format === 'nt' || format === 'nq' ? byLine(bytes, format) : byStream(bytes, format);
}

async function* byLine(bytes: AsyncIterable<Uint8Array>, format: RdfFormat): Pieces<Quad> {
  for await (const lines of linesOf(bytes)) {
    const faults = lines.filter((line) => line instanceof Faulty);
    const full = lines.filter(
      (line): line is Located<string> => !(line instanceof Faulty) && !/^\s*(#|$)/.test(line.value),
    );
    // In their order: what stands before a fault is good.
    yield faults.length === 0
      ? parsed(full, format)
      : [...faults, ...parsed(full, format)].sort((one, other) => one.line - other.line);
  }
}

/** Parses lines together, which is several times as fast as one by one, and that too where one of them is faulty. */
function parsed(lines: Located<string>[], format: RdfFormat): (Located<Quad> | Faulty)[] {
  try {
    const quads = parse(lines.map(({ value }) => value).join('\n'), format);
    if (quads.length === lines.length) {
      return quads.map((value, index) => ({ line: lines[index]?.line ?? 0, value }));
    }
  } catch {
    // One by one they tell which it is.
  }
  return lines.flatMap(({ line, value }): (Located<Quad> | Faulty)[] => {
    try {
      return parse(value, format).map((quad) => ({ line, value: quad }));
    } catch (error) {
      return [new Faulty(line, reasonOf(error))];
    }
  });
}

function parse(text: string, format: RdfFormat): Quad[] {
  return new Parser({ format: names[format], blankNodePrefix: '' }).parse(text);
}

async function* byStream(bytes: AsyncIterable<Uint8Array>, format: RdfFormat): Pieces<Quad> {
  let count = 0;
  let blanks = 0;
  const factory = {
    ...DataFactory,
    // Numbered within the file, so that they are the same each time; no label begins with a dot.
    blankNode: (label?: string) => DataFactory.blankNode(label ?? `.${++blanks}`),
  };
  const parser = new StreamParser({ format: names[format], blankNodePrefix: '', factory });
  let broken: { error: unknown } | undefined;
  // The parser is told that the text ends, so that it gives all that stands before.
  async function* readable() {
    try {
      yield* decoded(bytes);
    } catch (error) {
      broken = { error };
    }
  }
  Readable.from(readable(), { objectMode: false }).pipe(parser);
  const pieces: Located<Quad>[] = [];
  try {
    for await (const value of parser as unknown as AsyncIterable<Quad>) {
      count += 1;
      pieces.push({ line: count, value });
      if (pieces.length === 256) yield pieces.splice(0);
    }
  } catch (error) {
    yield pieces;
    if (broken !== undefined) throw broken.error;
    const { context } = error as { context?: { line: number } };
    if (context === undefined) throw error;
    throw new Faulty(context.line, reasonOf(error));
  }
  yield pieces;
  if (broken !== undefined) throw broken.error;
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  for await (const chunk of bytes) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      throw new Faulty(line, 'here or soon after is something that is not UTF-8');
    }
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line += 1;
    if (text !== '') yield text;
  }
}

/** n3's message without the place, which is told anyway. */
function reasonOf(error: unknown): string {
  return (error as Error).message.replace(/ on line \d+\.?$/, '');
}
