// rule: low-trust
// severity: review
// message: what an agent of low trust proposes is held for review
// on: update
UNWIND $agents AS agent
MATCH (a:Agent {tenant: $tenant, id: agent})
WHERE a.trust < 0.5
RETURN null AS subject, null AS predicate, null AS object, 'agent ' + a.id + ' has trust ' + toString(a.trust) AS message
