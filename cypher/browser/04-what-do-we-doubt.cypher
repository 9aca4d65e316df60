// What do we doubt?
MATCH (subject:Entity {tenant: $tenant})-[statement]->(object)
WHERE statement.certainty < 0.7 AND type(statement) <> 'PAST'
RETURN coalesce(subject.name, subject.id) AS subject, type(statement) AS predicate,
       coalesce(object.value, object.name, object.id) AS object, statement.certainty AS certainty,
       statement.sourceAgentId AS agent, statement.provenance AS provenance
ORDER BY certainty, subject
LIMIT 50
