import { LimitExceeded } from '../../base/limitExceeded.ts';
import { RefusedCypher } from '../../graph/qualify/grammar/refusedCypher.ts';
import { isTree, parseCypher, plain, type Tree, tree, trees } from '../../graph/qualify/grammar/tree.ts';
import { functionNamed, functionOf } from '../../graph/qualify/text/functions.ts';

/** Clauses that only read; all others are refused, whichever they are. */
const harmless = new Set([
  ...['clause', 'matchClause', 'whereClause', 'withClause', 'returnClause', 'unwindClause', 'subqueryClause'],
  'orderBySkipLimitClause',
]);

/**
 * Looks whether a text is one query of Cypher that only reads, by Neo4j's own grammar and the functions that queries to
 * Concord may call: no procedures, `LOAD CSV`, other graphs, or `IN TRANSACTIONS`.
 * @param most characters
 * @returns what it is refused for; undefined where it isn't
 */
export function faultOfCypher(cypher: string, most: number): string | undefined {
  if (cypher.length > most) return `is longer than ${most} characters`;
  try {
    const root = parseCypher(cypher, true);
    const statements = trees(root, 'statement');
    if (statements.length !== 1) return `is ${statements.length} statements; one is taken`;
    return faultIn(root);
  } catch (error) {
    if (error instanceof RefusedCypher) return `may not use ${error.construct}`;
    if (error instanceof LimitExceeded) return error.message;
    throw error;
  }
}

function faultIn(root: Tree): string | undefined {
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const fault = faultOf(node);
    if (fault !== undefined) return fault;
    waiting.push(...node.parts.filter(isTree));
  }
  return undefined;
}

function faultOf(node: Tree): string | undefined {
  const { rule } = node;
  if (/[cC]lause$/.test(rule) && !harmless.has(rule)) return `has a ${rule}, which is not taken`;
  if (/[cC]ommand/.test(rule)) return 'is a command';
  if (tree(node, 'subqueryInTransactionsParameters')) return 'has CALL … IN TRANSACTIONS';
  if (rule !== 'functionInvocation') return undefined;
  const called = tree(node, 'functionName');
  return functionNamed(functionOf(node)) ? undefined : `calls ${called ? plain(called).slice(0, 100) : 'a function'}`;
}
