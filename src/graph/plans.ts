import { LRUCache } from 'lru-cache';
import type { Plan } from 'neo4j-driver';
import type { Queryable } from './statementReader.ts';

/** What Neo4j does for a query may change with the data. */
const trustedMs = 600_000;

/** How Neo4j goes about queries, each asked once in a while: Neo4j keeps the plan that it makes for EXPLAIN and runs the query by it. */
export class Plans {
  private readonly known = new LRUCache<string, boolean>({ max: 2_000, ttl: trustedMs });

  /** Whether a query starts from indexes alone and scans no label, type or graph. */
  async usesIndex(tx: Queryable, cypher: string, parameters: Record<string, unknown>): Promise<boolean> {
    const known = this.known.get(cypher);
    if (known !== undefined) return known;
    const { summary } = await tx.run(`EXPLAIN ${cypher}`, parameters);
    const found = summary.plan !== false && startsFromIndexes(operators(summary.plan));
    this.known.set(cypher, found);
    return found;
  }
}

function operators({ operatorType, children }: Plan): string[] {
  return [operatorType, ...children.flatMap(operators)];
}

/** `NodeUniqueIndexSeek@neo4j` and its like, and neither `NodeByLabelScan` nor `AllNodesScan` nor their like. */
function startsFromIndexes(all: string[]): boolean {
  const isIndex = (operator: string) => operator.includes('Index');
  const isScan = (operator: string) => /Scan(@|$)/.test(operator) && !isIndex(operator);
  return all.some(isIndex) && !all.some(isScan);
}
