import type { Token } from 'antlr4ng';
import { LimitExceeded, type LimitReason } from '../../../base/limitExceeded.ts';
import { Cypher25Lexer } from './generated/Cypher25Lexer.ts';

/** Words, signs and literals of a query that a caller writes. */
const maxWords = 5_000;
/** Levels of brackets, braces, parentheses and CASE. */
const maxNesting = 16;
/** Levels of COLLECT, EXISTS and COUNT in braces: the time that Neo4j takes to read them doubles with each. */
const maxSubqueries = 8;
const maxClauses = 64;
/** Nodes and relationships of its patterns: Neo4j weighs the ways to go about them against one another. */
const maxElements = 40;

const opening = new Set([Cypher25Lexer.LPAREN, Cypher25Lexer.LBRACKET, Cypher25Lexer.LCURLY, Cypher25Lexer.CASE]);
const closing = new Set([Cypher25Lexer.RPAREN, Cypher25Lexer.RBRACKET, Cypher25Lexer.RCURLY, Cypher25Lexer.END]);
const collecting = new Set([Cypher25Lexer.COLLECT, Cypher25Lexer.EXISTS, Cypher25Lexer.COUNT]);
const clauses = new Set([
  Cypher25Lexer.MATCH,
  Cypher25Lexer.WITH,
  Cypher25Lexer.RETURN,
  Cypher25Lexer.UNWIND,
  Cypher25Lexer.CALL,
]);

/**
 * Holds the words of a query to the limits, before it is parsed: what is nested takes the parser, and Neo4j's planner,
 * many times as long with each level.
 * @throws LimitExceeded `too-large`, `too-deep`
 */
export function checkWords(tokens: readonly Token[]): void {
  const words = tokens.filter(({ channel }) => channel === 0);
  hold('too-large', words.length, maxWords, 'words');
  hold('too-large', words.filter(({ type }) => clauses.has(type)).length, maxClauses, 'clauses');
  const open: boolean[] = [];
  let [deepest, deepestSubquery, subqueries] = [0, 0, 0];
  words.forEach(({ type }, index) => {
    if (opening.has(type)) {
      const isSubquery = type === Cypher25Lexer.LCURLY && collecting.has(words[index - 1]?.type ?? 0);
      open.push(isSubquery);
      if (isSubquery) subqueries += 1;
    } else if (closing.has(type) && open.pop()) subqueries -= 1;
    deepest = Math.max(deepest, open.length);
    deepestSubquery = Math.max(deepestSubquery, subqueries);
  });
  hold('too-deep', deepest, maxNesting, 'levels of brackets');
  hold('too-deep', deepestSubquery, maxSubqueries, 'levels of COLLECT, EXISTS and COUNT');
}

/**
 * Holds the patterns of a query to the limit.
 * @throws LimitExceeded `too-large`
 */
export function checkElements(found: number): void {
  hold('too-large', found, maxElements, 'nodes and relationships in its patterns');
}

function hold(reason: LimitReason, found: number, limit: number, what: string): void {
  if (found <= limit) return;
  throw new LimitExceeded(reason, `The query has ${found} ${what}, more than the limit of ${limit}; split it`, {
    limit,
    found,
  });
}
