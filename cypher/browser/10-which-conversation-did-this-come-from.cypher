// Which conversation did this come from?
MATCH (:Entity {tenant: $tenant, id: $id})-[statement]->()
WHERE statement.updateId IS NOT NULL
WITH DISTINCT statement.updateId AS id
MATCH made = (task:Task)-[:MADE]->(:Update {id: id})
OPTIONAL MATCH asked = (:Agent)-[:ASKED]->(task)-[:HAS_MESSAGE]->(:Message)
RETURN made, asked
LIMIT 50
