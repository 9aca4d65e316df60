// rule: functional-predicate
// severity: reject
// message: a functional predicate has at most one object for a subject in a graph
// on: update
// {{functional}} stands for the relationship types of the vocabulary's functional predicates: only those edges are followed.
UNWIND $patches AS patch
WITH patch.predicate AS predicate, collect(DISTINCT [patch.subject, coalesce(patch.graph, '')]) AS places
MATCH (:Predicate {iri: predicate, functional: true})
UNWIND places AS place
WITH predicate, place[0] AS subject, place[1] AS graph
MATCH (s:Entity {tenant: $tenant, id: subject})-[r:{{functional}}]->(o)
WHERE r.predicate = predicate AND coalesce(r.graph, '') = graph
WITH subject, predicate, graph, collect(coalesce(o.id, toString(o.value)))[..5] AS objects, count(*) AS values
WHERE values > 1
RETURN subject, predicate, objects[0] AS object, toString(values) + ' objects: ' + reduce(all = '', o IN objects | all + CASE all WHEN '' THEN '' ELSE ', ' END + o) AS message
