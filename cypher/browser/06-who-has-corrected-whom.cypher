// Who has corrected whom?
MATCH (subject:Entity {tenant: $tenant})-[past:PAST]->()
WHERE past.retractedBy <> past.sourceAgentId
RETURN past.sourceAgentId AS said, past.retractedBy AS corrected, past.relationshipType AS predicate,
       count(*) AS times, collect(DISTINCT coalesce(subject.name, subject.id))[..5] AS examples
ORDER BY times DESC
LIMIT 50
