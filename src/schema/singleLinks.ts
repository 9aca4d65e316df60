import type { GraphQLSchema } from 'graphql';
import type { Queryable } from '../graph/database/queryable.ts';

/**
 * Lets a single link show the one that counts, by the rule of the projection (docs/design/graph.md): the most certain,
 * then the newest, then by statement id. There may be several: in several graphs, or from before the vocabulary said
 * one. @neo4j/graphql takes any of them.
 */
export function withBestLinks(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = (source, args, context: { executionContext: Queryable }, info) => {
      const { executionContext } = context;
      const best: Queryable = {
        run: (query, parameters) => executionContext.run(bestLinks(query), parameters),
      };
      return resolve(source, args, { ...context, executionContext: best }, info);
    };
  }
  return schema;
}

/** What a single link ends with. A list is collected as it is. */
const single = /^ *RETURN head\(collect\((\w+)\)\) AS \w+$/gm;

/**
 * The Cypher that @neo4j/graphql 7.6 writes, with each single link in its order:
 *
 *     MATCH (this)-[this0:BLOCK]->(this1:Block&Entity)
 *     WITH DISTINCT this1
 *     …
 *     RETURN head(collect(this1)) AS var2
 *
 * Values are its parameters, and every variable has its one place.
 * @throws Error where it is written otherwise: any link would be as good as the best
 */
export function bestLinks(query: string): string {
  return [...query.matchAll(single)].reduce((text, [, node = '']) => {
    const found = new RegExp(
      `^( *MATCH \\(\\w+\\)-\\[(\\w+):.*\\]->\\(${node}:.*\\)\\n(?: *WHERE .*\\n)*?)( *)WITH DISTINCT ${node}$`,
      'm',
    );
    if (!found.test(text)) throw new Error(`the single link ${node} is written in another way`);
    return text.replace(
      found,
      (_, match: string, link: string, indent: string) =>
        `${match}${indent}WITH ${link}, ${node} ORDER BY ${order(link)} LIMIT 1\n${indent}WITH ${node}`,
    );
  }, query);
}

const order = (link: string) => `coalesce(${link}.certainty, 1.0) DESC, ${link}.observedAt DESC, ${link}.statementId`;
