// Who says so, and why?
MATCH (:Entity {tenant: $tenant, id: $id})-[statement]->(object)
WHERE statement.statementId IS NOT NULL AND type(statement) <> 'PAST'
OPTIONAL MATCH (update:Update {id: statement.updateId})
RETURN type(statement) AS predicate, coalesce(object.value, object.name, object.id) AS object,
       statement.certainty AS certainty, coalesce(statement.sources, [statement.sourceAgentId]) AS agents,
       update.justification AS why, statement.observedAt AS observed
ORDER BY predicate, object
