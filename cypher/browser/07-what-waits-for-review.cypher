// What waits for review?
MATCH (agent:Agent)-[:PROPOSED]->(update:Update {tenant: $tenant, status: 'pending'})
RETURN update.id AS update, agent.id AS agent, agent.trust AS trust, update.justification AS why,
       update.proposedAt AS since, update.namedIds AS entities
ORDER BY since
LIMIT 50
