// How good is what each agent says?
MATCH (agent:Agent {tenant: $tenant})-[:PROPOSED]->(update:Update)
WITH agent, count(update) AS updates, sum(update.statementsAffected) AS statements,
     count(CASE update.status WHEN 'rejected' THEN 1 END) AS rejected,
     count(CASE update.status WHEN 'pending' THEN 1 END) AS pending, max(update.proposedAt) AS last
RETURN agent.id AS agent, agent.trust AS trust, updates, statements, rejected, pending, last
ORDER BY updates DESC
LIMIT 50
