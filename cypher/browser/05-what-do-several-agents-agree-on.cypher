// What do several agents agree on?
MATCH agreed = (:Entity {tenant: $tenant})-[statement]->(object)
WHERE size(statement.sources) > 1 AND type(statement) <> 'PAST'
RETURN agreed
ORDER BY size(statement.sources) DESC
LIMIT 50
