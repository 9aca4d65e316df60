import { ConcordError, ErrorCode } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import type { UnaryMethod } from '../calls/call.ts';
import type { QueryResult } from '../knowledge/query/query.ts';
import type { Model, ModelMessage } from './model.ts';
import type { SkillCall } from './skill.ts';

export interface AskModelParts {
  model: Model;
  /** `knowledge/query` */
  query: UnaryMethod<QueryResult>;
  /** What the model must know of the schema. */
  schema: string;
}

/** How often a query that can't be run is given back. */
const repairs = 2;

/**
 * A GraphQL query that a language model makes of a question, run as the caller's own, read-only. The model is given the
 * schema, the question and the faults of its queries; what the graph answers it doesn't see.
 */
export async function askModel(
  { model, query: run, schema }: AskModelParts,
  question: string,
  call: SkillCall,
): Promise<{ query: string; result: QueryResult }> {
  const messages: ModelMessage[] = [
    { role: 'system', content: `${instructions}\n\n${schema}` },
    { role: 'user', content: question },
  ];
  for (let attempt = 0; ; attempt++) {
    const said = await model(messages, call.signal);
    const query = queryIn(said);
    try {
      return { query, result: await run({ query }, call) };
    } catch (error) {
      if (!isRepairable(error)) throw error;
      if (attempt === repairs) throw unanswered(query, error);
      messages.push(
        { role: 'assistant', content: said },
        {
          role: 'user',
          content: `That query fails: ${error.message}\nGive a corrected query, and nothing else.`,
        },
      );
    }
  }
}

const instructions = `You translate questions into GraphQL queries over a knowledge graph. Answer with one GraphQL query operation without variables, and nothing else.
Root fields and links take 'where', 'limit', 'offset' and 'sort'. Filters are objects: {name: {eq: "x"}}, with eq, in, contains, startsWith, endsWith for text and eq, in, gt, gte, lt, lte for numbers; text is compared whatever its case by {name: {caseInsensitive: {eq: "x"}}}; links are filtered by {capital: {some: {name: {eq: "x"}}}}; AND, OR and NOT combine filters. Sort by [{population: DESC}]. Always select 'id'. Set a 'limit'.
The schema, where '#' begins a description:`;

/** The query in what a model says, which likes to fence code. */
function queryIn(said: string): string {
  return (/```(?:graphql)?\s*\n([\s\S]*?)```/.exec(said)?.[1] ?? said).trim();
}

/** Whether another query may do better: not where the caller may not ask, or something is out of order. */
function isRepairable(error: unknown): error is ConcordError {
  return (
    error instanceof ConcordError &&
    (error.code === ErrorCode.KnowledgeQuery || error.code === ErrorCode.InvalidParams) &&
    !error.data.retryable
  );
}

function unanswered(query: string, cause: ConcordError): ConcordError {
  return refuse(
    'no-query',
    `No query could be made of the question. The last one fails: ${cause.message}`,
    { query },
    { cause },
  );
}
