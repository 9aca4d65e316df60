// What entities tell about the statements that they take part in: see src/knowledge/update/entityCertainties.ts.
MATCH (e:Entity) WHERE NOT EXISTS { (e)-[r:!PAST]-() WHERE coalesce(r.certainty, 1.0) >= 1.0 }
CALL (e) {
  OPTIONAL MATCH (e)-[r:!PAST]-()
  WITH e, coalesce(max(r.certainty), 0.0) AS highest
  SET e.highest__certainty = highest
} IN TRANSACTIONS OF 10000 ROWS;
