import { readFile } from 'node:fs/promises';
import { Database } from '../../src/graph/database/database.ts';
import { Dictionary } from '../../src/graph/names/dictionary.ts';
import { quoted } from '../../src/graph/names/names.ts';
import type { Patch } from '../../src/knowledge/patch.ts';
import { toNeo4jTypeDefs } from '../../src/schema/typedefs.ts';
import type { Names } from '../../src/vocabulary/names.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import type { Vocabulary } from '../../src/vocabulary/vocabulary.ts';
import type { Bench, Figure } from './bench.ts';
import { load } from './graph.ts';
import type { EmptyNeo4j } from './neo4j.ts';
import { type ChildServer, startBare, startConcord } from './servers.ts';

/** Concord and a bare Apollo Server over the same graph. */
export interface SideBySide {
  concord: ChildServer;
  bare: ChildServer;
  dictionary: Dictionary;
  /** The type definitions that both have. */
  typeDefs: string;
  /**
   * The indexes that somebody who runs the bare server would make: Concord's begin with the tenant, which its queries
   * don't name.
   */
  bareIndexes: BareIndex[];
  /** How long the load took. */
  loaded: Figure;
}

export interface BareIndex {
  name: string;
  on: string;
}

/** Starts both, and loads the statements through Concord. */
export async function startSideBySide(
  bench: Bench,
  { server }: EmptyNeo4j,
  vocabularyFile: string,
  patches: Patch[],
): Promise<SideBySide> {
  const count = `${patches.length.toLocaleString('en')} statements`;
  bench.say(`Loading ${count}`);
  const concord = await startConcord(bench, server, vocabularyFile);
  const loading = performance.now();
  await load(concord.url, patches);
  const seconds = (performance.now() - loading) / 1_000;
  const loaded = { group: 'First load into an empty database', name: count, value: seconds, unit: 's' };
  const database = new Database({ ...server, database: 'neo4j' });
  bench.opened(() => database.close());
  const dictionary = await Dictionary.load(database);
  const vocabulary = parseVocabulary(await readFile(vocabularyFile, 'utf8'), vocabularyFile);
  const typeDefs = toNeo4jTypeDefs(vocabulary, dictionary);
  const bare = await startBare(bench, server, typeDefs);
  return { concord, bare, dictionary, typeDefs, bareIndexes: indexesOf(vocabulary, dictionary), loaded };
}

function indexesOf({ classes }: Vocabulary, names: Names): BareIndex[] {
  return classes.flatMap(({ iri, fields }) => {
    const label = names.label(iri);
    const indexed = fields.flatMap((field) =>
      field.kind === 'literal' && field.indexed ? [names.property(field.predicate)] : [],
    );
    return ['id', ...indexed].map((property) => ({
      name: quoted(`bare_${label}_${property}`),
      on: `(n:${quoted(label)}) ON (n.${quoted(property)})`,
    }));
  });
}
