import { groupBy } from '../base/groupBy.ts';
import type { Catalog, Column, Columns, ForeignKey, Table } from './adapters/catalog.ts';
import { quotedName, type Source } from './adapters/source.ts';

/** Candidates whose values are looked at; of further ones the names have to do. */
const mostSampled = 500;
/** Rows that are looked at, and the different values of these that are looked for. */
const sampledRows = 10_000;
const sampledValues = 1_000;

/** How sure a candidate is by its name and type alone, and where its values bear that out. */
const byName = 0.5;
const byValues = 0.9;
/** Values to be found for that; of fewer it may be chance. */
const enoughValues = 3;

/** A table that others may refer to, by its one key column. */
interface Target {
  table: Table;
  key: Column;
}

/**
 * Foreign keys that nobody has declared: a column that is called after a table, or as its key, and has the type of that
 * key. A sample of its values is looked for among the keys: where any is missing, it is none.
 */
export async function inferredKeys(source: Source, catalog: Catalog, signal: AbortSignal): Promise<ForeignKey[]> {
  // What leads where in a graph is there to see.
  if (source.dialect === 'cypher') return [];
  const inferred: ForeignKey[] = [];
  for (const [index, candidate] of candidatesIn(catalog).entries()) {
    signal.throwIfAborted();
    // What may not be read, or takes too long, has its name to speak for it.
    const sample = index < mostSampled ? await sampled(source, candidate).catch(() => undefined) : undefined;
    if (sample && sample.found < sample.values) continue;
    const isBorneOut = sample !== undefined && sample.values >= enoughValues;
    inferred.push(isBorneOut ? { ...candidate, certainty: byValues, grounds: 'name, type and values' } : candidate);
  }
  return inferred;
}

/** By names and types alone. */
export function candidatesIn({ tables, foreignKeys }: Catalog): ForeignKey[] {
  const declared = new Set(foreignKeys.flatMap(({ from }) => from.columns.map((each) => placeOf(from, each))));
  const targets = tables.flatMap(targetOf);
  const byTable = groupBy(
    targets.flatMap((target) => namesOf(target).map((name) => ({ name, target }))),
    ({ name }) => name,
  );
  const byKey = groupBy(targets, ({ key }) => plain(key.name));
  return tables.flatMap((table) =>
    table.kind.endsWith('view')
      ? []
      : table.columns.flatMap((column) => {
          if (declared.has(placeOf({ schema: table.schema, table: table.name }, column.name))) return [];
          const name = plain(column.name);
          const called = (byTable.get(name) ?? []).map(({ target }) => target);
          const target =
            onlyOne(table, column, called) ??
            (name === 'id' ? undefined : onlyOne(table, column, byKey.get(name) ?? []));
          return target ? [candidate(table, column, target)] : [];
        }),
  );
}

/** Where several fit, those of the same schema come first; of several of these nobody can tell which is meant. */
function onlyOne(table: Table, { type }: Column, targets: Target[]): Target | undefined {
  const fitting = [...new Set(targets)].filter((each) => each.table !== table && each.key.type === type);
  const near = fitting.filter((each) => each.table.schema === table.schema);
  const [target, ...others] = near.length > 0 ? near : fitting;
  return others.length === 0 ? target : undefined;
}

function candidate(table: Table, column: Column, target: Target): ForeignKey {
  return {
    from: { schema: table.schema, table: table.name, columns: [column.name] },
    to: { schema: target.table.schema, table: target.table.name, columns: [target.key.name] },
    certainty: byName,
    grounds: 'name and type',
  };
}

const placeOf = ({ schema, table }: Omit<Columns, 'columns'>, column: string) =>
  JSON.stringify([schema, table, column]);

function targetOf(table: Table): Target[] {
  const primary = table.keys.find(({ isPrimary }) => isPrimary);
  const key = table.columns.find(({ name }) => name === primary?.columns[0]);
  return key && primary?.columns.length === 1 ? [{ table, key }] : [];
}

/** What a column is called that refers to it. */
function namesOf({ table, key }: Target): string[] {
  const called = singular(plain(table.name));
  return [...new Set([`${called}id`, `${called}${plain(key.name)}`])];
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** `cities` → `city`, `boxes` → `box`, `orders` → `order` */
function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  if (/(s|x|z|ch|sh)es$/.test(name)) return name.slice(0, -2);
  return name.endsWith('s') && !name.endsWith('ss') ? name.slice(0, -1) : name;
}

/** How many different values a sample has, and how many of them are keys. */
async function sampled(source: Source, { from, to }: ForeignKey): Promise<{ values: number; found: number }> {
  const quoted = (name: string) => quotedName(source, name);
  const tableName = ({ schema, table }: Columns) => `${quoted(schema)}.${quoted(table)}`;
  const [column, key] = [from, to].map(({ columns }) => quoted(columns[0] ?? ''));
  const [row] = await source.rows<{ looked: number | string; found: number | string }>(
    `SELECT count(*) AS looked, count(CASE WHEN EXISTS (
        SELECT 1 FROM ${tableName(to)} k WHERE k.${key} = v.value) THEN 1 END) AS found
      FROM (SELECT DISTINCT value FROM (SELECT ${column} AS value FROM ${tableName(from)}
        WHERE ${column} IS NOT NULL LIMIT ${sampledRows}) s LIMIT ${sampledValues}) v`,
  );
  return { values: Number(row?.looked ?? 0), found: Number(row?.found ?? 0) };
}
