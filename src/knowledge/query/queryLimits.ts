import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
} from 'graphql';
import { getOrInsert } from '../../base/getOrInsert.ts';
import { LimitExceeded, type LimitReason, nestedTooDeeply } from '../../base/limitExceeded.ts';
import { UnderWay } from '../../calls/slots.ts';
import type { Principal } from '../../security/principal.ts';
import { checkArgument, type GivenArgument, givenArguments, variablesOf } from './arguments.ts';
import { variableSize } from './inputSize.ts';
import { costOf, type QueryShape, shapeOf } from './queryShape.ts';

export interface QueryLimitSettings {
  /** Levels of fields. Of filters twice as many, for one that follows a link has two levels. */
  maxDepth: number;
  /** Values that the answer is estimated to have. */
  maxCost: number;
  /** How long a list at the root is that has no limit. */
  defaultLimit: number;
  /** Queries of one agent under way at the same time. */
  maxConcurrent: number;
}

/**
 * Fields and filter conditions of one query, fragments expanded. Each takes up to a millisecond of this process, which
 * does nothing else meanwhile, to become Cypher; so this is no matter of taste and not a setting.
 */
const maxSize = 2_000;

/** What a query is held to before it runs, whichever door it comes through. */
export class QueryLimits {
  /** Documents are kept by who has parsed them; what was measured goes with them. */
  private readonly shapes = new WeakMap<OperationDefinitionNode, QueryShape>();
  private readonly given = new WeakMap<OperationDefinitionNode, GivenArgument[]>();
  private readonly underWay = new UnderWay();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly settings: QueryLimitSettings,
  ) {}

  get maxDepth(): number {
    return this.settings.maxDepth;
  }

  /** Queries under way. */
  get inFlight(): number {
    return this.underWay.all;
  }

  /**
   * Lets a query in.
   * @param document is valid
   * @param operationName which of its operations, where it has several
   * @returns what tells that the query has ended; calling it again does nothing
   * @throws LimitExceeded `too-deep`, `too-large`, `too-costly`, `too-many-queries`
   * @throws ConcordError -32010 `bad-argument`
   */
  admit(
    principal: Principal,
    document: DocumentNode,
    variables: Readonly<Record<string, unknown>> = {},
    operationName?: string | null,
  ): () => void {
    const operation = getOperationAST(document, operationName);
    if (operation) this.check(document, operation, variables);
    return this.enter(principal);
  }

  private check(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): void {
    const { maxDepth, maxCost } = this.settings;
    try {
      const shape = this.shape(document, operation);
      requireAtMost('too-deep', shape.depth, maxDepth, 'levels of fields', 'ask for what is further away by its id');
      let { size, inputDepth } = shape;
      for (const { variable } of operation.variableDefinitions ?? []) {
        const given = variableSize(variables[variable.name.value]);
        size += given.objects;
        inputDepth = Math.max(inputDepth, given.depth);
      }
      requireAtMost('too-deep', inputDepth, 2 * maxDepth, 'levels of conditions', 'filter in several queries');
      requireAtMost('too-large', size, maxSize, 'fields and conditions, fragments expanded', 'split it');
      const cost = costOf(shape.cost, variables);
      requireAtMost('too-costly', cost, maxCost, 'values by its estimate', 'give its lists a smaller limit');
      this.checkArguments(document, operation, variables);
    } catch (error) {
      // The stack's end comes long after any sensible limit.
      throw error instanceof RangeError ? nestedTooDeeply(maxDepth) : error;
    }
  }

  private checkArguments(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): void {
    const values = variablesOf(this.schema, operation, variables);
    const given = getOrInsert(this.given, operation, () => {
      const asked = separateOperations(document)[operation.name?.value ?? ''] ?? document;
      return givenArguments(this.schema, asked);
    });
    for (const each of given) checkArgument(each, values);
  }

  private shape(document: DocumentNode, operation: OperationDefinitionNode): QueryShape {
    return getOrInsert(this.shapes, operation, () => {
      const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
      const named = new Map(fragments.map((each) => [each.name.value, each]));
      return shapeOf(this.schema, operation, named, this.settings.defaultLimit);
    });
  }

  /**
   * Lets in a query whose cost can't be told before it runs.
   * @throws LimitExceeded `too-many-queries`
   */
  enter(principal: Principal): () => void {
    const limit = this.settings.maxConcurrent;
    if (this.underWay.of(principal) >= limit) {
      throw new LimitExceeded(
        'too-many-queries',
        `${limit} queries of this agent are under way, the most there may be; send it again when one of them is answered`,
        { limit },
      );
    }
    return this.underWay.enter(principal);
  }
}

/** @throws LimitExceeded if there is more than the limit */
function requireAtMost(reason: LimitReason, found: number, limit: number, what: string, advice: string): void {
  if (found <= limit) return;
  // What an attack comes to can be beyond any number, and JSON has no infinity.
  const told = Math.min(found, Number.MAX_SAFE_INTEGER);
  const message = `The query has ${told} ${what}, more than the limit of ${limit}; ${advice}`;
  throw new LimitExceeded(reason, message, { limit, found: told });
}
