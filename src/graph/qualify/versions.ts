import type { Qualified } from './qualifier.ts';
import { type Conditions, edgeConditions, momentOf, own, shapeOf, valuesOf } from './text/conditions.ts';
import { all, cypher, type Piece } from './text/piece.ts';
import { print } from './text/printer.ts';

const columns = [
  ...'id subject predicate object graph certainty provenance sourceAgentId taskId'.split(' '),
  ...'updateId observedAt recordedAt revision sources sourceDetails end made ended'.split(' '),
];

/**
 * The query for the versions of a subject's statements, current and past, newest first. It reads Concord's own `Update`
 * nodes, as no query that is rewritten can, so it is written here whole, with the conditions that every edge must meet.
 *
 * Its parameters are `subject`, `predicate` (null for any), `first` and `offset`. As of a point in time it gives the
 * versions that were recorded by then, and nothing of how those ended that ended later.
 */
export function qualifiedVersions(conditions: Conditions): Qualified {
  const shape = shapeOf({ ...conditions, asOf: undefined, asOfRevision: undefined });
  const moment = momentOf(shapeOf(conditions));
  const isByTime = moment?.by !== 'revision';
  const ended = moment
    ? cypher`${isByTime ? cypher`r.retractedAt` : cypher`r.retractedRevision`} <= ${moment.is}`
    : cypher`r.retractedAt IS NOT NULL`;
  const made = isByTime ? cypher`r.recordedAt` : cypher`r.revision`;
  const where = [
    cypher`o.tenant = ${own.tenant}`,
    cypher`($predicate IS NULL OR r.predicate = $predicate)`,
    ...edgeConditions(cypher`r`, shape),
    ...(moment ? [cypher`${made} <= ${moment.is}`] : []),
  ];
  const text = cypher`CYPHER 5
MATCH (s:Entity {tenant: ${own.tenant}, id: $subject})-[r]->(o:Entity|Literal)
USING INDEX SEEK s:Entity(tenant, id)
WHERE ${all(where)}
WITH s, r, o, CASE WHEN ${ended} THEN r.retractedIn END AS endedIn
ORDER BY r.recordedAt DESC, r.revision DESC, r.statementId, elementId(r)
SKIP $offset LIMIT $first
${updateOf(cypher`r.updateId`, cypher`made`)}
${updateOf(cypher`endedIn`, cypher`ended`)}
RETURN r.statementId AS id, s.id AS subject, r.predicate AS predicate,
  CASE WHEN o:Literal THEN {value: o.value, type: o.datatype, language: o.language} ELSE {id: o.id, type: o.type} END AS object,
  r.graph AS graph, r.certainty AS certainty, r.provenance AS provenance, r.sourceAgentId AS sourceAgentId, r.taskId AS taskId,
  r.updateId AS updateId, r.observedAt AS observedAt, r.recordedAt AS recordedAt, r.revision AS revision,
  r.sources AS sources, r.sourceDetails AS sourceDetails,
  CASE WHEN ${ended} THEN r {.retractedAt, .retractedBy, .retractedIn, .retractedRevision} END AS end,
  made, ended, [[r.statementId, r.certainty]] AS consulted`;
  return {
    cypher: print(text).cypher,
    columns,
    consulted: true,
    usesIndex: true,
    parametersFor: (given = {}) => ({ ...given, ...valuesOf(conditions) }),
  };
}

/** What is told of an update: of an older database it may not be there. */
function updateOf(id: Piece, name: Piece): Piece {
  return cypher`OPTIONAL MATCH (${name}Node:Update {id: ${id}}) USING INDEX SEEK ${name}Node:Update(id) WHERE ${name}Node.tenant = ${own.tenant}
WITH *, ${name}Node {.id, .sourceAgentId, .justification, .taskId, .sessionId, .traceId, .proposedAt, .reviewedBy, .revision} AS ${name}`;
}
