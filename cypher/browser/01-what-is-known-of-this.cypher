// What is known of this?
MATCH stated = (:Entity {tenant: $tenant, id: $id})-[statement]->(object)
WHERE statement.statementId IS NOT NULL AND type(statement) <> 'PAST'
RETURN stated
LIMIT 200
