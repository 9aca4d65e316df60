// What was it before?
MATCH (:Entity {tenant: $tenant, id: $id})-[past:PAST]->(object)
RETURN past.relationshipType AS predicate, coalesce(object.value, object.name, object.id) AS object,
       past.sourceAgentId AS saidBy, past.recordedAt AS from, past.retractedAt AS until, past.retractedBy AS endedBy
ORDER BY until DESC
LIMIT 100
