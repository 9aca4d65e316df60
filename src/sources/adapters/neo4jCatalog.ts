import type { Catalog, ForeignKey, Table } from './catalog.ts';
import type { Row } from './source.ts';

/** Nodes and relationships of a label or type that are looked at. */
const sampled = 1_000;

type Rows = <Found extends Row>(cypher: string) => Promise<Found[]>;
type FoundProperty = { name: string; types: string[]; known: number };
type FoundEnds = { from: string; to: string };
type FoundIndex = { name: string; of: string; properties: string[]; kind: string; isUnique: boolean };

const named = (name: string) => `\`${name.replaceAll('`', '``')}\``;

const properties = (pattern: string) =>
  `MATCH ${pattern} WITH e LIMIT ${sampled} UNWIND keys(e) AS name WITH name, valueType(e[name]) AS type
RETURN name, collect(DISTINCT replace(type, ' NOT NULL', '')) AS types, count(*) AS known ORDER BY name`;

const indexes = `SHOW INDEXES YIELD name, labelsOrTypes, properties, type, owningConstraint, state
WHERE type = 'RANGE' AND size(labelsOrTypes) = 1
RETURN name, labelsOrTypes[0] AS of, properties, type AS kind, owningConstraint IS NOT NULL AS isUnique ORDER BY name`;

/**
 * What a Neo4j is made of: labels and types of relationships as tables, their properties as columns, and from which
 * label to which a type leads as keys without columns. Of each label and type 1,000 are looked at.
 */
export async function neo4jCatalog(rowsOf: Rows): Promise<Catalog> {
  const [{ name: schema } = { name: 'neo4j' }] = await rowsOf<{ name: string }>(
    'CALL db.info() YIELD name RETURN name',
  );
  const [labels, types] = [
    await rowsOf<{ name: string }>('CALL db.labels() YIELD label RETURN label AS name ORDER BY name'),
    await rowsOf<{ name: string }>(
      'CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType AS name ORDER BY name',
    ),
  ];
  const tables: Table[] = [];
  for (const { name } of labels) {
    const [counted] = await rowsOf<{ rows: number }>(`MATCH (n:${named(name)}) RETURN count(n) AS rows`);
    const columns = columnsOf(await rowsOf<FoundProperty>(properties(`(e:${named(name)})`)));
    if (counted && counted.rows > 0)
      tables.push({ schema, name, kind: 'label', rows: counted.rows, columns, keys: [], indexes: [] });
  }
  for (const { name, of, properties: columns, kind, isUnique } of await rowsOf<FoundIndex>(indexes)) {
    const table = tables.find((each) => each.name === of);
    table?.indexes.push({ name, definition: `${kind} (${columns.join(', ')})` });
    if (isUnique) table?.keys.push({ name, isPrimary: false, columns });
  }
  const foreignKeys: ForeignKey[] = [];
  for (const { name } of types) {
    const [counted] = await rowsOf<{ rows: number }>(`MATCH ()-[r:${named(name)}]->() RETURN count(r) AS rows`);
    if (!counted || counted.rows === 0) continue;
    const columns = columnsOf(await rowsOf<FoundProperty>(properties(`()-[e:${named(name)}]->()`)));
    tables.push({ schema, name, kind: 'relationship type', rows: counted.rows, columns, keys: [], indexes: [] });
    for (const { from, to } of await rowsOf<FoundEnds>(endsOf(name)))
      foreignKeys.push({
        name: `${name} to ${to}`,
        from: { schema, table: from, columns: [] },
        to: { schema, table: to, columns: [] },
      });
  }
  return { tables, foreignKeys };
}

const endsOf = (type: string) => `MATCH (a)-[r:${named(type)}]->(b) WITH a, b LIMIT ${sampled}
UNWIND labels(a) AS from UNWIND labels(b) AS to RETURN DISTINCT from, to ORDER BY from, to`;

/** Which properties are never missing is not known of a sample. */
function columnsOf(found: FoundProperty[]): Table['columns'] {
  return found.map(({ name, types }) => ({ name, type: types.toSorted().join(' | ').toLowerCase(), nullable: true }));
}
