// Why was what an agent said rejected?
MATCH (:Agent {tenant: $tenant, id: $agent})-[:PROPOSED]->(update:Update {status: 'rejected'})
RETURN update.proposedAt AS at, update.justification AS said, update.verificationDetails AS because
ORDER BY at DESC
LIMIT 20
