import { Parser, type Quad, Writer } from 'n3';
import { rdf, xsd } from '../rdf/iris.ts';
import { jsonLd } from './jsonLd.ts';

/** What N-Quads can be written as. */
export type Serialisation = 'nq' | 'ttl' | 'trig' | 'jsonld';

/**
 * N-Quads in another format, as they come.
 * @param pages whole lines
 * @param leftOut told how many statements of named graphs Turtle cannot hold
 */
export async function* serialised(
  pages: AsyncIterable<string>,
  format: Serialisation,
  leftOut: (quads: number) => void,
): AsyncGenerator<string> {
  if (format === 'nq') yield* pages;
  else if (format === 'jsonld') yield* jsonLd(quadPages(pages));
  else yield* turtle(pages, format, leftOut);
}

/**
 * No scheme of an IRI has a `_`. Of an id such as `rdf:type`, which is an IRI too, `n3` would take a prefix `rdf` for
 * meant.
 */
const prefixes = { rdf_: rdf.type.replace(/type$/, ''), xsd_: xsd };

async function* turtle(
  pages: AsyncIterable<string>,
  format: 'ttl' | 'trig',
  leftOut: (quads: number) => void,
): AsyncGenerator<string> {
  let text = '';
  const out = {
    write(chunk: string, _encoding: string, done?: () => void) {
      text += chunk;
      done?.();
    },
    end: (done?: () => void) => done?.(),
  };
  // It needs no more of a stream than this.
  const stream = out as unknown as NodeJS.WritableStream;
  const writer = new Writer(stream, { format: format === 'ttl' ? 'Turtle' : 'TriG', prefixes });
  for await (const page of pages) {
    const quads = quadsOf(page);
    const kept = format === 'trig' ? quads : quads.filter(({ graph }) => graph.termType === 'DefaultGraph');
    if (kept.length < quads.length) leftOut(quads.length - kept.length);
    writer.addQuads(kept);
    yield text;
    text = '';
  }
  writer.end();
  yield text;
}

async function* quadPages(pages: AsyncIterable<string>): AsyncGenerator<Quad[]> {
  for await (const page of pages) yield quadsOf(page);
}

/** Blank nodes keep their labels from page to page. */
function quadsOf(page: string): Quad[] {
  return new Parser({ format: 'N-Quads', blankNodePrefix: '' }).parse(page);
}
