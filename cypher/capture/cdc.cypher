// Writes down what others have committed, as Neo4j's change data capture tells it, in the form of trigger.cypher
// (docs/design/capture.md). Parameters: $from (after which change), $last (the last transaction), $tenant (whose edits
// are that belong to no tenant), $systemLabels, $systemTypes. There was no Neo4j Enterprise to run it on: it was
// written by Neo4j's documentation, and is tested on events of the form that it shows.
CALL () { MATCH (c:Class) RETURN collect(c.label) AS classes }
CALL () { MATCH (p:Predicate) WHERE p.property IS NOT NULL RETURN collect(p.property) AS fields }
CALL (classes, fields) {
  CALL db.cdc.query($from, []) YIELD id, txId, seq, metadata, event
  WITH classes, fields, id, txId, metadata, event, event.state.before AS b, event.state.after AS a
  WHERE txId <= $last AND coalesce(metadata.txMetadata.app, '') <> 'concord'
  WITH *, coalesce(b.properties, {}) AS was, coalesce(a.properties, {}) AS is, event.eventType = 'n' AS isNode,
    CASE event.operation WHEN 'c' THEN 'created' WHEN 'd' THEN 'deleted' ELSE 'changed' END AS op,
    CASE WHEN event.eventType = 'n' THEN coalesce(b.labels, []) END AS before,
    CASE WHEN event.eventType = 'n' THEN coalesce(a.labels, []) END AS after
  WITH *, coalesce(before + after, []) AS either,
    [key IN keys(was) + keys(is) WHERE NOT coalesce(was[key] = is[key], false)] AS changed,
    any(l IN event.start.labels WHERE l = 'Entity' OR l IN classes) AND
      any(l IN event.end.labels WHERE l = 'Entity' OR l = 'Literal' OR l IN classes) AS joinsEntities
  OPTIONAL MATCH (s) WHERE elementId(s) = CASE WHEN joinsEntities THEN event.start.elementId END
  OPTIONAL MATCH (o) WHERE elementId(o) = CASE WHEN joinsEntities THEN event.end.elementId END
  WITH *, CASE
    WHEN isNode AND any(l IN either WHERE l IN $systemLabels) THEN 'system'
    WHEN isNode AND ('Entity' IN either OR 'Literal' IN either) THEN 'node'
    WHEN isNode AND coalesce(is.id, was.id) IS :: STRING NOT NULL AND any(l IN either WHERE l IN classes) THEN 'node'
    WHEN event.type IN $systemTypes THEN 'system'
    WHEN NOT isNode AND was.statementId IS NOT NULL OR joinsEntities THEN 'relationship'
  END AS kind
  WHERE kind IS NOT NULL AND (NOT isNode OR kind = 'system' OR op <> 'changed'
    OR any(l IN either WHERE (l = 'Entity' OR l = 'Literal' OR l IN classes) AND NOT (l IN before AND l IN after))
    OR any(key IN changed WHERE key IN fields OR key IN ['id', 'tenant', 'type', 'value', 'datatype', 'language']
      OR key ENDS WITH '__certainty'))
  RETURN collect({kind: kind, op: op, element: event.elementId, txId: txId, metadata: metadata,
    before: CASE op WHEN 'created' THEN null ELSE was END, after: CASE op WHEN 'deleted' THEN null ELSE is END,
    labelsBefore: before, labelsAfter: after, type: event.type, start: event.start.elementId, end: event.end.elementId,
    tenant: [t IN [CASE WHEN isNode THEN is.tenant END, was.tenant, s.tenant, o.tenant] WHERE t IS :: STRING NOT NULL][0]
  }) AS found
}

// Of a relationship that was never a statement, only one is undone that was to become one.
CALL (found) {
  WITH [e IN found WHERE e.op = 'created' | e.element] AS made
  UNWIND range(0, size(found) - 1) AS index
  WITH made, index, found[index] AS edit
  WHERE edit.kind <> 'relationship' OR edit.op <> 'deleted' OR edit.before.statementId IS NOT NULL
    OR edit.element IN made OR EXISTS { (:DirectEdit {element: edit.element}) }
  WITH edit, [e IN found WHERE e.element IN [edit.element, edit.start, edit.end] AND e.tenant IS NOT NULL | e.tenant][0] AS beside
  RETURN collect([coalesce(edit.tenant, beside, $tenant), edit]) AS edits
}

// The lock of a tenant's ledger puts edits and updates in one order.
UNWIND edits AS each
WITH each[0] AS tenant, collect(each[1]) AS edits
ORDER BY tenant
MERGE (l:Ledger {tenant: tenant}) ON CREATE SET l.revision = 0, l.sequence = 0
SET l.edited = coalesce(l.edited, 0) + size(edits)
WITH tenant, edits, l.edited - size(edits) AS last
UNWIND range(0, size(edits) - 1) AS index
WITH tenant, last + index + 1 AS number, edits[index] AS edit
CREATE (e:DirectEdit {tenant: tenant, number: number, transaction: 'cdc:' + edit.txId, txId: edit.txId, isSeenLate: true,
  user: coalesce(edit.metadata.executingUser, edit.metadata.authenticatedUser, ''),
  at: datetime(toString(edit.metadata.txCommitTime)), client: toStringOrNull(edit.metadata.txMetadata.app),
  kind: edit.kind, op: edit.op, element: edit.element, type: edit.type, start: edit.start, end: edit.end,
  labelsBefore: edit.labelsBefore, labelsAfter: edit.labelsAfter})
FOREACH (_ IN CASE WHEN edit.kind <> 'system' AND edit.before IS NOT NULL THEN [1] ELSE [] END |
  CREATE (e)-[:EDIT_BEFORE]->(b:DirectEditState) SET b = edit.before)
FOREACH (_ IN CASE WHEN edit.kind <> 'system' AND edit.after IS NOT NULL THEN [1] ELSE [] END |
  CREATE (e)-[:EDIT_AFTER]->(a:DirectEditState) SET a = edit.after)
