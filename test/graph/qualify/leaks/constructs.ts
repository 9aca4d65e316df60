import { type DocumentNode, visit } from 'graphql';
import { Tally } from '../../../support/tally.ts';

/** Rules of the grammar that the Cypher of a run must have used, or it says nothing of them. */
const cypher = [
  ...['matchClause', 'withClause', 'unwindClause', 'subqueryClause', 'whereClause', 'orderBy', 'skip', 'limit'],
  ...['quantifier', 'pathLength', 'parenthesizedPath', 'shortestPathPattern', 'relationshipPattern', 'properties'],
  ...['labelExpression', 'existsExpression', 'countExpression', 'collectExpression', 'patternComprehension'],
  ...['patternExpression', 'listComprehension', 'listItemsPredicate', 'reduceExpression', 'mapProjection', 'map'],
  ...['caseExpression', 'extendedCaseExpression', 'functionInvocation', 'countStar', 'trimFunction', 'parameter'],
] as const;

/** What its GraphQL must have had: kinds of nodes, and arguments and fields by their names or the ends of those. */
const graphql = [
  ...['Directive', 'FragmentSpread', 'InlineFragment', 'Variable', 'where', 'sort', 'limit', 'offset', 'first'],
  ...['after', 'graph', 'Connection', 'GroupBy', 'Count', 'statements'],
] as const;

export type Construct = (typeof cypher)[number] | (typeof graphql)[number];

const ofCypher: ReadonlySet<string> = new Set(cypher);
const ofGraphql: ReadonlySet<string> = new Set(graphql);
const endings = /(Connection|GroupBy|Count|statements)$/;

export const constructs = (): Tally<Construct> => new Tally<Construct>([...cypher, ...graphql]);

/** Counts those of a query in Cypher, by the rules that it uses. */
export function countRules(seen: Tally<Construct>, rules: ReadonlySet<string>): void {
  for (const rule of rules) if (ofCypher.has(rule)) seen.add(rule as Construct);
}

/** Counts those of a query in GraphQL, each once. */
export function countNodes(seen: Tally<Construct>, document: DocumentNode): void {
  const found = new Set<string>();
  visit(document, {
    enter(node) {
      found.add(node.kind);
      if (node.kind === 'Argument') found.add(node.name.value);
      if (node.kind === 'Field') found.add(endings.exec(node.name.value)?.[1] ?? '');
    },
  });
  for (const each of found) if (ofGraphql.has(each)) seen.add(each as Construct);
}
