import type { Database } from '../graph/database/database.ts';
import type { Patch } from '../wire/types.ts';
import { readCatalog } from './adapters/readCatalog.ts';
import type { Source } from './adapters/source.ts';
import { CatalogStatements } from './catalogStatements.ts';
import { inferredKeys } from './inferKeys.ts';
import { schemaPatches } from './schemaPatches.ts';
import { statedOf } from './stated.ts';

/** Patches of one update. */
const batch = 2_000;

export interface IntrospectParts {
  database: Database;
  tenant: string;
  /** The name of the source. */
  name: string;
  source: Source;
  signal: AbortSignal;
  /** Told in words what it is at. */
  tell(text: string): void;
  /** @returns whether to go on */
  propose(mutations: Patch[]): Promise<boolean>;
}

/** What a source was found to be made of, and how many patches that came to. */
export interface Introspected {
  tables: number;
  columns: number;
  declared: number;
  inferred: number;
  statements: number;
  /** Parts of which nothing is stated, since their names are too long. */
  leftOut: number;
  added: number;
  removed: number;
}

/**
 * Reads what a source is made of, and proposes what that changes in its graph.
 * @throws Error of the source; what `propose` throws
 */
export async function introspect(parts: IntrospectParts): Promise<Introspected> {
  const { database, tenant, name, source, signal, tell, propose } = parts;
  tell('Reading the catalogue');
  const catalog = await readCatalog(source, signal);
  tell(`Looking for foreign keys that nobody has declared, among ${catalog.tables.length} tables`);
  const inferred = await inferredKeys(source, catalog, signal);
  const foreignKeys = [...catalog.foreignKeys, ...inferred];
  const { statements, leftOut } = new CatalogStatements(name, source.dialect, { ...catalog, foreignKeys });
  tell(`Comparing ${statements.length} statements with those of before`);
  const patches = schemaPatches(await statedOf(database, tenant, name), statements);
  const found = {
    tables: catalog.tables.length,
    columns: catalog.tables.reduce((sum, { columns }) => sum + columns.length, 0),
    declared: catalog.foreignKeys.length,
    inferred: inferred.length,
    statements: statements.length,
    leftOut,
    added: 0,
    removed: 0,
  };
  for (let at = 0; at < patches.length; at += batch) {
    signal.throwIfAborted();
    const mutations = patches.slice(at, at + batch);
    if (!(await propose(mutations))) return found;
    const removals = mutations.filter(({ op }) => op === 'remove').length;
    found.removed += removals;
    found.added += mutations.length - removals;
    tell(`Stated ${at + mutations.length} of ${patches.length} changes`);
  }
  return found;
}
