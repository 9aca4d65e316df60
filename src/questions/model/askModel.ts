import { type DocumentNode, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import { maxTokens } from '../../knowledge/query/operations.ts';
import type { QueryResult } from '../../knowledge/query/query.ts';
import type { About, Asker } from '../answering/asker.ts';
import { type Picture, pictureOf } from '../answering/picture.ts';
import type { Table } from '../answering/table.ts';
import { tellStep } from '../steps.ts';
import type { AnsweredQuestions } from './answeredQuestions.ts';
import { answerTable } from './answerTable.ts';
import type { Model, ModelMessage } from './model.ts';
import { answerFormat, firstMessages, queryIn } from './prompt.ts';
import { schemaPart } from './schemaPart.ts';
import { faultOfTypes } from './typesAsked.ts';

export interface AskModelParts {
  model: Model;
  asker: Asker;
  /** `knowledge/query` */
  query: UnaryMethod<QueryResult>;
  schema: GraphQLSchema;
  answered: AnsweredQuestions;
}

/** What a model's query came to. */
export interface ModelAnswered {
  query: string;
  /** How the model says that it reads the question. */
  inWords?: string;
  result: QueryResult;
  /** Absent where the answer is no list of rows. */
  table?: Table;
  picture?: Picture;
}

type Asking = Call & { tell(text: string, data: object): void };

/** How often a query that can't be run is given back. */
const repairs = 2;
/** Characters of a fault that a model is told. */
const longestFault = 1_000;

/** A query that doesn't do, and why. */
class Unfit extends Error {}

/**
 * A GraphQL query that a language model makes of a question, run as the caller's own, read-only. The model is given what
 * the caller sees of what the question is about, questions that it had answered before, and the faults of its queries;
 * what the graph answers it doesn't see.
 * @returns undefined where the model has no query
 * @throws ConcordError `no-query`, `model-unavailable`, `model-budget-used`, and as `knowledge/query`
 */
export async function askModel(
  parts: AskModelParts,
  question: string,
  call: Asking,
): Promise<ModelAnswered | undefined> {
  const about = await parts.asker.about(question, call);
  const messages = firstMessages(question, about, {
    schema: schemaPart(parts.schema, about),
    answered: parts.answered.similar(about.sight, about.tokens),
  });
  for (let attempt = 0; ; attempt++) {
    tellStep(call, 'building', { attempt });
    const said = await parts.model(messages, call, answerFormat);
    if (said.refuses) return undefined;
    const { query, reading } = queryIn(said.text);
    if (query === undefined) return undefined;
    try {
      if (said.isCut) throw new Unfit('The answer was cut off for its length; give a shorter one');
      const document = checked(parts.schema, query, question, about);
      tellStep(call, 'running', { attempt });
      const result = await run(parts, query, about, call);
      tellStep(call, 'shaping');
      parts.answered.keep(about.sight, { question, query }, about.tokens);
      const table = answerTable(parts.schema, document, result.data, about.lexicon);
      return {
        ...{ query, result },
        ...(reading !== undefined && { inWords: reading }),
        ...(table && { table, picture: pictureOf(table) }),
      };
    } catch (error) {
      if (!isRepairable(error)) throw error;
      if (attempt === repairs) throw unanswered(query, error);
      messages.push(...correction(said.text, error));
    }
  }
}

/** @throws Unfit where a query answers with something else than is asked for */
function checked(schema: GraphQLSchema, query: string, question: string, about: About): DocumentNode {
  const document = parsed(query);
  const fault = faultOfTypes(schema, document, question, about);
  if (fault !== undefined) throw new Unfit(fault);
  return document;
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens });
  } catch (error) {
    if (error instanceof GraphQLError || error instanceof RangeError) throw new Unfit(error.message);
    throw error;
  }
}

function run(parts: AskModelParts, query: string, { under }: About, call: Call): Promise<QueryResult> {
  const conditions = {
    ...(under.requiredCertainty !== undefined && { requiredCertainty: under.requiredCertainty }),
    ...(under.asOf !== undefined && { metadata: { asOf: under.asOf } }),
  };
  return parts.query({ query, ...conditions }, call);
}

function correction(said: string, { message }: Error): ModelMessage[] {
  const fault = `That query fails: ${message.slice(0, longestFault)}\nGive a corrected query, and nothing else.`;
  return [
    { role: 'assistant', content: said },
    { role: 'user', content: fault },
  ];
}

/** Whether another query may do better: not where the caller may not ask, or something is out of order. */
function isRepairable(error: unknown): error is ConcordError | Unfit {
  if (error instanceof Unfit) return true;
  return (
    error instanceof ConcordError &&
    (error.code === ErrorCode.KnowledgeQuery || error.code === ErrorCode.InvalidParams) &&
    !error.data.retryable
  );
}

function unanswered(query: string, cause: Error): ConcordError {
  return refuse(
    'no-query',
    `No query could be made of the question. The last one fails: ${cause.message}`,
    { query },
    { cause },
  );
}
