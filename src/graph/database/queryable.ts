import type { QueryResult, RecordShape } from 'neo4j-driver';

/** A transaction, or what stands in for one. */
export interface Queryable {
  run<Row extends RecordShape>(query: string, parameters?: Record<string, unknown>): PromiseLike<QueryResult<Row>>;
}

/**
 * Begins each query of Concord's own that writes or reads statements. Neo4j would plan them anew as the graph grows, a
 * second at a time in the middle of somebody's update. Such queries name the index of each look-up: a plan made while
 * the database is empty would scan. And they take their lists inside of a map, `$in`: a list of another order of size,
 * as a parameter of its own, is another plan.
 */
export const fixedPlan = 'CYPHER replan=skip';
