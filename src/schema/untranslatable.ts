import type { GraphQLSchema } from 'graphql';
import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import type { Queryable } from '../graph/database/queryable.ts';
import { RefusedCypher } from '../graph/qualify/grammar/refusedCypher.ts';

/**
 * Refuses by name what @neo4j/graphql fails to make Cypher of, though it is valid: it fails with errors of many kinds
 * before it runs anything, or writes what is no Cypher. The fields then throw ConcordError -32010 `untranslatable`.
 */
export function refuseUntranslatable(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = async (source, args, context: { executionContext: Queryable }, info) => {
      let hasRun = false;
      const { executionContext } = context;
      const watched: Queryable = {
        run: (...query) => {
          hasRun = true;
          return executionContext.run(...query);
        },
      };
      try {
        return await resolve(source, args, { ...context, executionContext: watched }, info);
      } catch (error) {
        // What goes beyond the stack has a reason of its own.
        const isOfLibrary = error instanceof Error && !hasRun && !(error instanceof RangeError);
        throw isOfLibrary || error instanceof RefusedCypher ? untranslatable(field.name, error) : error;
      }
    };
  }
  return schema;
}

function untranslatable(field: string, cause: Error): ConcordError {
  const message = `@neo4j/graphql cannot make Cypher of '${field}' as it is asked for (${cause.message}); ask for it in parts, or otherwise`;
  return refuse('untranslatable', message, { field }, { cause });
}
