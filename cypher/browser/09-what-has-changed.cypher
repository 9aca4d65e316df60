// What has changed?
MATCH (agent:Agent)-[:PROPOSED]->(update:Update {tenant: $tenant})-[:CONTAINS]->(change:Change)
WHERE change.timestamp >= datetime($since)
RETURN change.sequence AS sequence, change.timestamp AS at, agent.id AS agent, change.op AS op,
       change.statement AS statement, update.justification AS why
ORDER BY sequence DESC
LIMIT 100
