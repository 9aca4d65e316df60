import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationTypeNode,
  parse,
  separateOperations,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { Neo4jError } from 'neo4j-driver';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { nestedTooDeeply } from '../../base/limitExceeded.ts';
import { type Reason, refuse } from '../../base/reasons.ts';
import { faultOf } from '../../calls/faults.ts';
import { isUnavailable } from '../../graph/database/away.ts';
import { ownRules, withoutSuggestions } from '../../schema/introspection.ts';

/** More than a query of 100,000 characters that is read by people has. */
export const maxTokens = 20_000;

/**
 * Characters of the documents that are kept. A parsed document takes up to some hundred times as much memory as its text.
 */
const keptCharacters = 500_000;

export const mutationsAreNotServed = 'The graph is changed by knowledge/update; mutations are not served';

export interface OperationsOptions {
  /** Whether queries may ask for the schema, and faults may suggest names of it. */
  introspection: boolean;
  /** The limit to tell where one goes beyond the stack. */
  maxDepth: number;
}

/** Parses, validates and executes GraphQL operations against one schema; what was valid once is not parsed again. */
export class Operations {
  private readonly schema: GraphQLSchema;
  private readonly introspection: boolean;
  private readonly maxDepth: number;
  private readonly documents = new LRUCache<string, DocumentNode>({
    maxSize: keptCharacters,
    sizeCalculation: (_document, key) => key.length,
  });

  constructor(schema: GraphQLSchema, { introspection, maxDepth }: OperationsOptions) {
    this.schema = schema;
    this.introspection = introspection;
    this.maxDepth = maxDepth;
  }

  /**
   * A document with exactly one operation, of the given kind.
   * @param name which of the operations in the source; absent where there is only one
   * @throws ConcordError -32010 (-32012 for a subscription) with the GraphQL errors in `data.errors`
   */
  parse(source: string, kind: `${OperationTypeNode}`, name?: string): DocumentNode {
    const key = name === undefined ? `${kind} ${source}` : JSON.stringify([kind, name, source]);
    const known = this.documents.get(key);
    if (known) return known;
    const code = kind === 'subscription' ? ErrorCode.KnowledgeSubscription : ErrorCode.KnowledgeQuery;
    const fail = (reason: Reason, message: string, errors: readonly GraphQLError[] = []): never => {
      throw refuse(reason, message, errors.length > 0 ? { errors: errors.map((error) => error.toJSON()) } : {}, {
        code,
      });
    };
    const tooDeep = (): never => {
      const fault = nestedTooDeeply(this.maxDepth);
      throw kind === 'query' ? fault : new ConcordError(code, fault.message, fault.data);
    };
    let document: DocumentNode;
    try {
      document = parse(source, { maxTokens });
    } catch (error) {
      if (error instanceof GraphQLError) return fail('syntax', error.message, [error]);
      if (error instanceof RangeError) return tooDeep();
      throw error;
    }
    if (name !== undefined) {
      document = separateOperations(document)[name] ?? fail('operation', 'There is no operation of this name');
    }
    const operation = getOperationAST(document);
    if (!operation) return fail('operation', `Send exactly one ${kind} operation`);
    if (operation.operation === 'mutation') {
      return fail('operation', mutationsAreNotServed);
    }
    if (operation.operation !== kind)
      return fail('operation', `This method takes a ${kind}, not a ${operation.operation}`);
    const errors = this.faultsOf(document) ?? tooDeep();
    if (errors[0]) return fail('validation', errors[0].message, errors);
    this.documents.set(key, document);
    return document;
  }

  /** Whether a source is of a query, valid or not, and of nothing else. */
  isQuery(source: string): boolean {
    if (this.documents.has(`subscription ${source}`)) return false;
    return this.documents.has(`query ${source}`) || operationType(source) === 'query';
  }

  /** What validation finds; undefined where the document is nested too deeply to be validated. */
  private faultsOf(document: DocumentNode): readonly GraphQLError[] | undefined {
    try {
      const rules = [...specifiedRules, ...ownRules(this.introspection)];
      const faults = validate(this.schema, document, rules, { maxErrors: 20 });
      return this.introspection ? faults : faults.map(withoutSuggestions);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /**
   * Executes a query.
   * @returns its `data`
   * @throws ConcordError -32010 if any part of it failed; Neo4jError as it is where the database is unavailable
   */
  async execute(
    document: DocumentNode,
    variables: Record<string, unknown> | undefined,
    context: object,
  ): Promise<Record<string, unknown> | null> {
    const run = async () =>
      execute({
        schema: this.schema,
        document,
        variableValues: variables,
        contextValue: { ...context },
      });
    const result = await run().catch((error: unknown) => {
      throw isOverflow(error) ? nestedTooDeeply(this.maxDepth) : error;
    });
    const [first] = result.errors ?? [];
    if (first === undefined) return result.data ?? null;
    const errors = result.errors?.map((error) => error.toJSON());
    throw causeOf(first, this.maxDepth) ?? refuse('execution', first.message, { errors });
  }
}

/**
 * The type of a source's one operation, valid or not, or of that which is named; undefined where there is none, or the
 * source can't be read.
 */
export function operationType(source: string, name?: string): OperationTypeNode | undefined {
  try {
    return getOperationAST(parse(source, { maxTokens, noLocation: true }), name)?.operation;
  } catch {
    return undefined;
  }
}

/**
 * What an error of GraphQL comes from, where that says more than its own words: what Concord refuses, a fault of
 * Concord's, or a fault of Neo4j, which stays as it is where Neo4j is unavailable.
 */
export function causeOf(error: unknown, maxDepth: number): Error | undefined {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  if (cause instanceof ConcordError) return cause;
  if (cause instanceof Neo4jError) return isUnavailable(cause) ? cause : neo4jFault(cause);
  if (isOverflow(cause)) return nestedTooDeeply(maxDepth);
  return cause instanceof TypeError || cause instanceof ReferenceError || cause instanceof RangeError
    ? cause
    : undefined;
}

/** Recursion over a query ends so where the stack does; of a value, such as a time that is none, a RangeError too. */
function isOverflow(error: unknown): error is RangeError {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** The fault of a query, as its caller is told of it where Neo4j is away or busy; any other as it is. */
export function queryFault(cause: unknown): unknown {
  return faultOf(cause, ErrorCode.KnowledgeQuery, 'try again later');
}

/** Neo4j's own messages can quote Cypher and values, so only its status code is told. */
export function neo4jFault(cause: Neo4jError): ConcordError {
  return refuse('execution', 'Neo4j could not execute the query', { status: cause.code }, { cause });
}
