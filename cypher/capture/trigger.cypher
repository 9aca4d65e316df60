// Runs inside of every transaction that writes, before its commit, and writes down what somebody has edited by hand
// (docs/design/capture.md). Parameters beside APOC's own: $tenant (whose edits are that belong to no tenant),
// $systemLabels, $systemTypes, $enforce.
WITH 1 AS one WHERE coalesce($metaData.app, '') <> 'concord'
CALL () { MATCH (c:Class) RETURN collect(c.label) AS classes }
CALL () { MATCH (p:Predicate) WHERE p.property IS NOT NULL RETURN collect(p.property) AS fields }

// Each node once. A node that is gone shows nothing but what it has lost.
CALL (classes, fields) {
  CALL () {
    UNWIND $createdNodes AS n RETURN n, 'created' AS what, null AS old, null AS label
    UNION ALL UNWIND $deletedNodes AS n RETURN n, 'deleted' AS what, null AS old, null AS label
    UNION ALL UNWIND keys($assignedNodeProperties) AS key UNWIND $assignedNodeProperties[key] AS entry
      RETURN entry.node AS n, 'changed' AS what, [key, entry.old] AS old, null AS label
    UNION ALL UNWIND keys($removedNodeProperties) AS key UNWIND $removedNodeProperties[key] AS entry
      RETURN entry.node AS n, 'changed' AS what, [key, entry.old] AS old, null AS label
    UNION ALL UNWIND keys($assignedLabels) AS label UNWIND $assignedLabels[label] AS n
      RETURN n, 'gained' AS what, null AS old, label
    UNION ALL UNWIND keys($removedLabels) AS label UNWIND $removedLabels[label] AS n
      RETURN n, 'lost' AS what, null AS old, label
  }
  WITH n, collect(DISTINCT what) AS whats, collect(old) AS olds,
    collect(CASE what WHEN 'gained' THEN label END) AS gained, collect(CASE what WHEN 'lost' THEN label END) AS lost
  WITH n, olds, gained, lost,
    CASE WHEN 'created' IN whats THEN 'created' WHEN 'deleted' IN whats THEN 'deleted' ELSE 'changed' END AS op
  WITH n, olds, op,
    CASE op WHEN 'deleted' THEN [] ELSE labels(n) END AS after,
    CASE op WHEN 'created' THEN [] WHEN 'deleted' THEN lost ELSE [l IN labels(n) WHERE NOT l IN gained] + lost END AS before
  WITH n, olds, op, before, after, before + after AS either,
    CASE op WHEN 'deleted' THEN [old IN olds WHERE old[0] = 'tenant' | old[1]][0] ELSE n.tenant END AS tenant,
    CASE op WHEN 'deleted' THEN [old IN olds WHERE old[0] = 'id' | old[1]][0] ELSE n.id END AS id
  WITH *, CASE
    WHEN any(l IN either WHERE l IN $systemLabels) THEN 'system'
    WHEN 'Entity' IN either OR 'Literal' IN either THEN 'node'
    WHEN id IS :: STRING NOT NULL AND any(l IN either WHERE l IN classes) THEN 'node'
  END AS kind
  WHERE kind IS NOT NULL AND (kind = 'system' OR op <> 'changed'
    OR any(l IN either WHERE (l = 'Entity' OR l = 'Literal' OR l IN classes) AND NOT (l IN before AND l IN after))
    OR any(old IN olds WHERE old[0] IN fields OR old[0] IN ['id', 'tenant', 'type', 'value', 'datatype', 'language']
      OR old[0] ENDS WITH '__certainty'))
  RETURN collect({kind: kind, op: op, element: elementId(n), n: n, olds: olds, before: before, after: after,
    tenants: CASE WHEN tenant IS :: STRING NOT NULL THEN [tenant] ELSE [] END}) AS nodes
}

// Each relationship once. The ends of one that is gone may be gone as well: they are told by their elements only.
CALL (classes) {
  CALL () {
    UNWIND $createdRelationships AS r RETURN r, 'created' AS what, null AS old
    UNION ALL UNWIND $deletedRelationships AS r RETURN r, 'deleted' AS what, null AS old
    UNION ALL UNWIND keys($assignedRelationshipProperties) AS key UNWIND $assignedRelationshipProperties[key] AS entry
      RETURN entry.relationship AS r, 'changed' AS what, [key, entry.old] AS old
    UNION ALL UNWIND keys($removedRelationshipProperties) AS key UNWIND $removedRelationshipProperties[key] AS entry
      RETURN entry.relationship AS r, 'changed' AS what, [key, entry.old] AS old
  }
  WITH r, collect(DISTINCT what) AS whats, collect(old) AS olds
  WITH r, olds,
    CASE WHEN 'created' IN whats THEN 'created' WHEN 'deleted' IN whats THEN 'deleted' ELSE 'changed' END AS op
  WITH r, olds, op, CASE op WHEN 'deleted' THEN null ELSE startNode(r) END AS s,
    CASE op WHEN 'deleted' THEN null ELSE endNode(r) END AS o
  WITH *, [old IN olds WHERE old[0] = 'tenant' | old[1]][0] AS oldTenant,
    any(old IN olds WHERE old[0] = 'statementId' AND old[1] IS NOT NULL) AS wasStatement,
    any(l IN labels(s) WHERE l = 'Entity' OR l IN classes) AND
      any(l IN labels(o) WHERE l = 'Entity' OR l = 'Literal' OR l IN classes) AS joinsEntities
  CALL (r, op, oldTenant) {
    WITH r WHERE op = 'deleted' AND oldTenant IS NULL
    MATCH (e:DirectEdit {element: elementId(r)}) RETURN e.tenant AS earlier LIMIT 1
    UNION ALL WITH r WHERE op <> 'deleted' OR oldTenant IS NOT NULL RETURN null AS earlier
    UNION ALL WITH r WHERE op = 'deleted' AND oldTenant IS NULL AND NOT EXISTS { (:DirectEdit {element: elementId(r)}) }
      RETURN null AS earlier
  }
  WITH *, CASE
    WHEN type(r) IN $systemTypes THEN 'system'
    WHEN op = 'deleted' AND (wasStatement OR earlier IS NOT NULL) THEN 'relationship'
    WHEN op <> 'deleted' AND (joinsEntities OR wasStatement) THEN 'relationship'
  END AS kind
  WHERE kind IS NOT NULL
  WITH *, [t IN CASE op WHEN 'deleted' THEN [coalesce(oldTenant, earlier)] ELSE [s.tenant, o.tenant] END
    WHERE t IS :: STRING NOT NULL] AS known
  RETURN collect({kind: kind, op: op, element: elementId(r), r: r, olds: olds, type: type(r),
    start: elementId(startNode(r)), end: elementId(endNode(r)),
    tenants: CASE WHEN known[0] = known[1] THEN known[..1] ELSE known END}) AS relationships
}
WITH nodes + relationships AS edits WHERE size(edits) > 0
CALL dbms.showCurrentUser() YIELD username
WITH edits, username, [e IN edits WHERE size(e.tenants) > 1 | e.type + ' joins the tenants ' + e.tenants[0] + ' and ' + e.tenants[1]] AS joined,
  [e IN edits WHERE e.kind = 'system' AND $enforce | coalesce(e.type, reduce(text = '', l IN CASE e.op WHEN 'deleted' THEN e.before ELSE e.after END | text + ':' + l)) + ' is kept by Concord'] AS guarded
CALL apoc.util.validate(size(joined + guarded) > 0, 'Concord refuses this edit: %s', [(joined + guarded)[0]])

// The lock of a tenant's ledger puts edits and updates in one order.
UNWIND edits AS edit
WITH username, coalesce(edit.tenants[0], $tenant) AS tenant, collect(edit) AS edits
ORDER BY tenant
MERGE (l:Ledger {tenant: tenant}) ON CREATE SET l.revision = 0, l.sequence = 0
SET l.edited = coalesce(l.edited, 0) + size(edits)
WITH username, tenant, edits, l.edited - size(edits) AS last, randomUUID() AS transaction
UNWIND range(0, size(edits) - 1) AS index
WITH username, tenant, transaction, last + index + 1 AS number, edits[index] AS edit
CREATE (e:DirectEdit {tenant: tenant, number: number, transaction: transaction, user: username, at: datetime.realtime(),
  client: toStringOrNull($metaData.app), kind: edit.kind, op: edit.op, element: edit.element, type: edit.type,
  start: edit.start, end: edit.end, labelsBefore: edit.before, labelsAfter: edit.after})
FOREACH (_ IN CASE WHEN edit.kind <> 'system' AND edit.op <> 'created' THEN [1] ELSE [] END |
  CREATE (e)-[:EDIT_BEFORE]->(b:DirectEditState)
  FOREACH (r IN CASE WHEN edit.op = 'changed' THEN [x IN [edit.r] WHERE x IS NOT NULL] ELSE [] END | SET b = properties(r))
  FOREACH (n IN CASE WHEN edit.op = 'changed' THEN [x IN [edit.n] WHERE x IS NOT NULL] ELSE [] END | SET b = properties(n))
  FOREACH (old IN edit.olds | SET b[old[0]] = old[1]))
FOREACH (_ IN CASE WHEN edit.kind <> 'system' AND edit.op <> 'deleted' THEN [1] ELSE [] END |
  CREATE (e)-[:EDIT_AFTER]->(a:DirectEditState)
  FOREACH (r IN [x IN [edit.r] WHERE x IS NOT NULL] | SET a = properties(r))
  FOREACH (n IN [x IN [edit.n] WHERE x IS NOT NULL] | SET a = properties(n)))
