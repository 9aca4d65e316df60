import { Readable } from 'node:stream';
import { type Batch, Batcher } from '../../../src/cli/import/batch.ts';
import { Faulty } from '../../../src/cli/import/faulty.ts';
import { type RdfOptions, RdfStatements } from '../../../src/cli/import/rdfStatements.ts';
import { readJsonLd } from '../../../src/cli/import/readJsonLd.ts';
import { type RdfFormat, readRdf } from '../../../src/cli/import/readRdf.ts';
import type { Patch } from '../../../src/client/index.ts';

/** What `concord import` makes of RDF text, which it gets in pieces of a few bytes. */
export async function patchesOf(
  text: string | Uint8Array,
  format: RdfFormat | 'jsonld',
  {
    batch = 1_000,
    piece = 7,
    contexts = [],
    ...options
  }: Partial<RdfOptions> & { batch?: number; piece?: number; contexts?: [string, unknown][] } = {},
) {
  const batcher = new Batcher(batch);
  const statements = new RdfStatements(batcher, { fileId: 'file', ...options });
  const bytes = Buffer.from(text as string);
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
    bytes.subarray(index * piece, (index + 1) * piece),
  );
  const faults: Faulty[] = [];
  const batches: Batch[] = [];
  const ignored: string[] = [];
  const stream = Readable.from(pieces);
  const quads =
    format === 'jsonld'
      ? readJsonLd(stream, new Map(contexts), (member) => ignored.push(member))
      : readRdf(stream, format);
  for await (const read of quads) {
    for (const each of read) {
      const fault = each instanceof Faulty ? each : statements.take(each);
      if (fault) faults.push(fault);
    }
    // What is closed is on its way: what it says now cannot be changed any more.
    batches.push(...structuredClone(batcher.take()));
  }
  statements.end();
  faults.push(...statements.late);
  batcher.end();
  batches.push(...batcher.take());
  const patches: Patch[] = batches.flatMap(({ drafts }) => drafts.map(({ patch }) => patch));
  return {
    patches,
    statements: patches.map(({ statement }) => statement),
    batches,
    faults,
    ignored,
    unasserted: statements.unasserted,
  };
}
