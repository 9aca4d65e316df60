import type { UnaryMethod } from '../calls/call.ts';
import type { QueryResult } from '../knowledge/query/query.ts';
import type { Skill } from './skill.ts';

/** `query`: the params of `knowledge/query` in a data part, its result as an artifact. */
export function querySkill(query: UnaryMethod<QueryResult>): Skill {
  return {
    summary: 'Answers a GraphQL query over the shared graph; the fields are the params of knowledge/query',
    readsOnly: true,
    example: { skill: 'query', query: '{ entities(limit: 10) { id type } }', requiredCertainty: 0.8 },
    ...(query.params && { parameters: query.params }),
    textField: 'query',
    async run(input, call) {
      const { data, queryMetadata } = await query({ taskId: call.taskId, ...input }, call);
      return {
        state: 'completed',
        artifacts: [{ name: 'result', description: 'The result of the query', data: { data, queryMetadata } }],
        text: `Answered at revision ${queryMetadata.revision}`,
      };
    },
  };
}
