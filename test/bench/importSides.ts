import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Driver } from 'neo4j-driver';
import { Database } from '../../src/graph/database/database.ts';
import { Dictionary } from '../../src/graph/names/dictionary.ts';
import type { Patch } from '../../src/knowledge/patch.ts';
import type { Bench, Figure } from './bench.ts';
import { load } from './graph.ts';
import { startImporter } from './importer.ts';
import { MemorySamples } from './memorySamples.ts';
import { openOwnNeo4j } from './neo4j.ts';
import { rawWrites, writeRaw } from './rawWrite.ts';
import { startConcord } from './servers.ts';
import { wordnetPredicates } from './wordnet.ts';

const vocabularyFile = fileURLToPath(new URL('wordnet.graphql', import.meta.url));
/** Statements of one update, and of one transaction by the driver: what `concord import` does if it isn't told. */
export const batch = 2_000;
const pollMs = 25;

/** One of two ways of statements into an empty Neo4j of its own, which is warm. */
export interface ImportSide {
  /** Settles when the statements are in the graph. */
  write(patches: Patch[], isLast: boolean): Promise<{ statements: number; seconds: number }>;
  /** What else was measured. */
  figures(): Figure[];
}

/** `concord import`, fed part by part, and a Concord. */
export async function concordSide(bench: Bench, warmUp: Patch[]): Promise<ImportSide> {
  const { server, driver } = await openOwnNeo4j(bench);
  const concord = await startConcord(bench, server, vocabularyFile);
  await load(concord.url, warmUp);
  const before = await sequenceOf(driver);
  const importer = startImporter(bench, concord.url, batch);
  const memory = { service: new MemorySamples(concord.pid), importer: new MemorySamples(importer.pid) };
  let fed = 0;
  let there = 0;
  return {
    async write(patches, isLast) {
      const started = performance.now();
      fed += patches.length;
      // The importer holds a batch back until the next one begins.
      const sent = isLast ? fed : batch * Math.floor((fed - 1) / batch);
      const statements = sent - there;
      await importer.feed(patches);
      if (isLast) await importer.end();
      while (there < sent) {
        there = (await sequenceOf(driver)) - before;
        if (there < sent) await sleep(pollMs);
      }
      return { statements, seconds: (performance.now() - started) / 1_000 };
    },
    figures: () => {
      const group = 'Memory through the import';
      return [...memory.service.figures(group, 'Concord'), ...memory.importer.figures(group, 'concord import')];
    },
  };
}

/** The driver, with the indexes that Concord would have for the same edges. */
export async function driverSide(bench: Bench, warmUp: Patch[]): Promise<ImportSide> {
  const { server, driver } = await openOwnNeo4j(bench);
  await driver.executeQuery(
    'CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (n:Entity) REQUIRE (n.tenant, n.id) IS UNIQUE',
  );
  const database = new Database({ ...server, database: 'neo4j' });
  bench.opened(() => database.close());
  const dictionary = await Dictionary.load(database);
  await dictionary.ensure(wordnetPredicates, []);
  const write = async (patches: Patch[]) => {
    let seconds = 0;
    for (let from = 0; from < patches.length; from += batch) {
      // Only the writing is measured: what is written is ready.
      const writes = rawWrites(patches.slice(from, from + batch), dictionary);
      const started = performance.now();
      await writeRaw(driver, writes);
      seconds += (performance.now() - started) / 1_000;
    }
    return { statements: patches.length, seconds };
  };
  await write(warmUp);
  return { write, figures: () => [] };
}

async function sequenceOf(driver: Driver): Promise<number> {
  const { records } = await driver.executeQuery(
    "MATCH (l:Ledger {tenant: 'default'}) RETURN toFloat(l.sequence) AS sequence",
  );
  return records[0]?.get('sequence') ?? 0;
}
