import neo4j from 'neo4j-driver';
import type { Queryable } from '../database/queryable.ts';
import { quoted, systemLabels, systemTypes } from '../names/names.ts';

/** A node as an edge ends at it. */
export type EndNode = Record<string, unknown> & { labels: string[] };

/** A current edge between entities, or from an entity to a literal, as it stands in the graph. */
export interface EdgeRow {
  [key: string]: unknown;
  element: string;
  type: string;
  /** Its properties, as the driver reads them. */
  edge: Record<string, unknown>;
  startElement: string;
  endElement: string;
  start: EndNode;
  end: EndNode;
}

/** One page of elements, by tenant, and where the next one begins; undefined where there is no more. */
export interface ElementPage {
  elements: Map<string, string[]>;
  count: number;
  next?: string;
}

const row = `RETURN elementId(r) AS element, type(r) AS type, properties(r) AS edge, elementId(s) AS startElement,
  elementId(o) AS endElement, s {.*, labels: labels(s)} AS start, o {.*, labels: labels(o)} AS end`;

/** Edges of one relationship type that say of which statement they are, in the order of the index of its identities. */
export async function filedEdges(
  tx: Queryable,
  type: string,
  { after, limit }: { after: string; limit: number },
): Promise<ElementPage> {
  const { records } = await tx.run<PageRow>(
    `MATCH (s)-[r:${quoted(type)}]->() USING INDEX SEEK r:${quoted(type)}(statementId)
     WHERE r.statementId > $after
     RETURN elementId(r) AS element, s.tenant AS tenant, r.statementId AS place ORDER BY r.statementId LIMIT $limit`,
    { after, limit: neo4j.int(limit) },
  );
  return pageOf(
    records.map((record) => record.toObject()),
    limit,
  );
}

/** Edges between entities that no index of identities has: of an unknown type, or without an identity. */
export async function unfiledEdges(
  tx: Queryable,
  knownTypes: string[],
  { after, limit }: { after: string; limit: number },
): Promise<ElementPage> {
  const { records } = await tx.run<PageRow>(
    `MATCH (s:Entity)-[r]->(o)
     WHERE elementId(r) > $after AND (o:Entity OR o:Literal) AND NOT type(r) IN $system
       AND (NOT type(r) IN $known OR NOT r.statementId IS :: STRING NOT NULL)
     RETURN elementId(r) AS element, s.tenant AS tenant, elementId(r) AS place ORDER BY place LIMIT $limit`,
    { after, limit: neo4j.int(limit), known: knownTypes, system: [...systemTypes] },
  );
  return pageOf(
    records.map((record) => record.toObject()),
    limit,
  );
}

/** Nodes that are called by the label of a class and have an id, and are no entities. */
export async function unlabelledNodes(
  tx: Queryable,
  classLabels: string[],
  { after, limit }: { after: string; limit: number },
): Promise<ElementPage> {
  const { records } = await tx.run<PageRow>(
    `MATCH (n) WHERE NOT n:Entity AND any(l IN labels(n) WHERE l IN $classes)
       AND none(l IN labels(n) WHERE l IN $system) AND n.id IS :: STRING NOT NULL AND n.id <> ''
       AND elementId(n) > $after
     RETURN elementId(n) AS element, n.tenant AS tenant, elementId(n) AS place ORDER BY place LIMIT $limit`,
    { after, limit: neo4j.int(limit), classes: classLabels, system: [...systemLabels] },
  );
  return pageOf(
    records.map((record) => record.toObject()),
    limit,
  );
}

interface PageRow {
  [key: string]: unknown;
  element: string;
  tenant: unknown;
  place: string;
}

function pageOf(rows: PageRow[], limit: number): ElementPage {
  const elements = new Map<string, string[]>();
  for (const { element, tenant } of rows) {
    const key = typeof tenant === 'string' ? tenant : '';
    elements.set(key, [...(elements.get(key) ?? []), element]);
  }
  const next = rows.length < limit ? undefined : rows.at(-1)?.place;
  return { elements, count: rows.length, ...(next !== undefined && { next }) };
}

/** These edges, as far as they are there. */
export async function edgesByElement(tx: Queryable, elements: string[]): Promise<EdgeRow[]> {
  const { records } = await tx.run<EdgeRow>(
    `UNWIND $in.elements AS element
     OPTIONAL MATCH ()-[r]->() WHERE elementId(r) = element
     WITH r, startNode(r) AS s, endNode(r) AS o WHERE r IS NOT NULL
     ${row}`,
    { in: { elements } },
  );
  return records.map((record) => record.toObject());
}

/** The current edges of one type with these identities. */
export async function edgesByStatement(tx: Queryable, type: string, statementIds: string[]): Promise<EdgeRow[]> {
  const { records } = await tx.run<EdgeRow>(
    `UNWIND $in.statementIds AS statementId
     MATCH (s)-[r:${quoted(type)} {statementId: statementId}]->(o) USING INDEX SEEK r:${quoted(type)}(statementId)
     ${row}`,
    { in: { statementIds } },
  );
  return records.map((record) => record.toObject());
}

/** Those of these statements that have ended in this revision or after it, of these subjects. */
export async function endedSince(
  tx: Queryable,
  tenant: string,
  statements: { subject: string; statementId: string; revision: number }[],
): Promise<Set<string>> {
  const { records } = await tx.run<{ statementId: string }>(
    `UNWIND $in.statements AS each
     MATCH (s:Entity {tenant: $tenant, id: each.subject}) USING INDEX SEEK s:Entity(tenant, id)
     MATCH (s)-[p:PAST {statementId: each.statementId}]->() WHERE p.retractedRevision >= each.revision
     RETURN DISTINCT each.statementId AS statementId`,
    { tenant, in: { statements } },
  );
  return new Set(records.map((record) => record.get('statementId')));
}
