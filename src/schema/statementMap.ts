/**
 * A `Statement` of the schema as a map of Cypher, from the variables `s` (the edge), `subject` and `object`. Times are
 * Neo4j's.
 */
export const statementMap = `{
      id: s.statementId, subject: subject.id, predicate: s.predicate,
      object: CASE WHEN object:Literal
        THEN { value: object.value, type: object.datatype, language: object.language }
        ELSE { id: object.id, type: object.type } END,
      graph: s.graph, certainty: s.certainty, provenance: s.provenance, sourceAgentId: s.sourceAgentId,
      taskId: s.taskId, updateId: s.updateId, observedAt: s.observedAt, recordedAt: s.recordedAt, revision: s.revision,
      sources: s.sources, sourceDetails: s.sourceDetails
    }`;

/** The order of statements that nobody has given another. */
export const statementOrder = 's.predicate, coalesce(s.certainty, 1.0) DESC, s.statementId';

/** The qualifier takes it for the point in time that `s` is read as of (`graph/qualify/rewrite/patternElements.ts`). */
export const ofItsTime = 'WHERE $asOf IS NULL OR s.__concordAsOf = $asOf';
