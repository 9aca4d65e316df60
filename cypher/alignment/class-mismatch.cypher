// rule: class-mismatch
// severity: reject
// message: an entity is of one class, and of the class that a predicate expects
// on: update
CALL () {
  UNWIND $patches AS patch
  WITH patch WHERE patch.op = 'add'
  UNWIND [[patch.subject, patch.subjectType], [patch.object, patch.objectType]] AS mention
  WITH mention[0] AS id, mention[1] AS said, min(patch.predicate) AS predicate
  WHERE id IS NOT NULL AND said IS NOT NULL
  MATCH (e:Entity {tenant: $tenant, id: id})
  WHERE e.type <> said
  RETURN id AS subject, predicate, null AS object, 'is of class ' + e.type + ', not ' + said AS message
UNION
  UNWIND $patches AS patch
  WITH patch WHERE patch.op = 'add' AND patch.value IS NULL
  WITH patch.predicate AS predicate, collect(patch) AS patches
  MATCH (p:Predicate {iri: predicate})
  WHERE p.ranges IS NOT NULL
  UNWIND patches AS patch
  // An object that is said to be of such a class is so, or the part above tells.
  WITH p, predicate, patch
  WHERE patch.objectType IS NULL OR NOT patch.objectType IN p.ranges
  MATCH (o:Entity {tenant: $tenant, id: patch.object})
  WHERE NOT o.type IN p.ranges
  RETURN patch.subject AS subject, patch.predicate AS predicate, patch.object AS object,
    'the object is of class ' + o.type + ', but the field takes ' + reduce(all = p.ranges[0], r IN p.ranges[1..] | all + " or " + r) AS message
UNION
  // A class given to an entity that others point at already.
  UNWIND $classified AS id
  MATCH (e:Entity {tenant: $tenant, id: id})<-[r]-(s:Entity)
  WHERE r.statementId IS NOT NULL AND type(r) <> 'PAST'
  MATCH (p:Predicate {iri: r.predicate})
  WHERE NOT e.type IN p.ranges
  RETURN s.id AS subject, r.predicate AS predicate, id AS object,
    'the object becomes of class ' + e.type + ', but the field takes ' + reduce(all = p.ranges[0], r IN p.ranges[1..] | all + " or " + r) AS message
}
RETURN subject, predicate, object, message
