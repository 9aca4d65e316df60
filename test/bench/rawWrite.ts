import type { Driver } from 'neo4j-driver';
import { groupBy } from '../../src/base/groupBy.ts';
import type { Dictionary } from '../../src/graph/names/dictionary.ts';
import { quoted } from '../../src/graph/names/names.ts';
import { isLiteral, statementIdOf } from '../../src/graph/statements/statement.ts';
import { dateTime, literalValue } from '../../src/graph/statements/values.ts';
import type { Patch } from '../../src/knowledge/patch.ts';

/** One query with its parameters. */
interface Write {
  query: string;
  parameters: Record<string, unknown>;
}

/** A tenant of its own: nothing that Concord reads. */
const tenant = 'bench-raw';

/**
 * What somebody who knows the graph's form would write without Concord: the same edges, with the same properties,
 * between nodes that are merged; no class labels, no projection, no change log, no rules. One query for each
 * relationship type and kind of object.
 */
export function rawWrites(patches: Patch[], dictionary: Dictionary): Write[] {
  const rows = patches.map(({ statement }) => ({ predicate: statement.predicate.id, ...rowOf(statement) }));
  const groups = groupBy(rows, ({ predicate, kind }) => `${kind} ${predicate}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const type = quoted(dictionary.relationshipType(first.predicate));
    const query = first.kind === 'literal' ? literalQuery(type) : linkQuery(type);
    return { query, parameters: { tenant, rows: group } };
  });
}

/** Runs them in one transaction, sent together. */
export async function writeRaw(driver: Driver, writes: Write[]): Promise<void> {
  const session = driver.session();
  try {
    await session.executeWrite((tx) => Promise.all(writes.map(({ query, parameters }) => tx.run(query, parameters))), {
      // Else what is written would be taken for edits by hand.
      metadata: { app: 'concord' },
    });
  } finally {
    await session.close();
  }
}

function rowOf(statement: Patch['statement']) {
  const { subject, predicate, object, graph, certainty, provenance } = statement;
  const edge = {
    statementId: statementIdOf(tenant, statement),
    tenant,
    predicate: predicate.id,
    graph: graph ?? null,
    certainty: certainty ?? null,
    provenance: provenance === undefined ? null : JSON.stringify(provenance),
    sourceAgentId: 'bench',
    taskId: null,
    updateId: 'bench',
    observedAt: dateTime(Date.now()),
    recordedAt: dateTime(Date.now()),
    revision: 1,
  };
  return isLiteral(object)
    ? {
        kind: 'literal' as const,
        subject: subject.id,
        edge,
        value: literalValue(object),
        datatype: object.type,
        language: object.language ?? null,
      }
    : { kind: 'link' as const, subject: subject.id, edge, object: object.id };
}

const linkQuery = (type: string) => `UNWIND $rows AS row
  MERGE (s:Entity {tenant: $tenant, id: row.subject})
  MERGE (o:Entity {tenant: $tenant, id: row.object})
  MERGE (s)-[r:${type} {statementId: row.edge.statementId}]->(o)
  ON CREATE SET r += row.edge`;

const literalQuery = (type: string) => `UNWIND $rows AS row
  MERGE (s:Entity {tenant: $tenant, id: row.subject})
  MERGE (s)-[r:${type} {statementId: row.edge.statementId}]->(o:Literal {tenant: $tenant, value: row.value, datatype: row.datatype})
  ON CREATE SET r += row.edge, o.language = row.language`;
