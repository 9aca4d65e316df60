import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { ErrorCode } from '../base/errors.ts';
import { getOrInsert } from '../base/getOrInsert.ts';
import { KeyedLimits } from '../base/keyedLimits.ts';
import { LimitExceeded } from '../base/limitExceeded.ts';
import { orAborted } from '../base/orAborted.ts';
import type { Call } from '../calls/call.ts';
import { faultOf } from '../calls/faults.ts';
import type { Bounds } from '../changes/view.ts';
import { closedText } from '../graph/names/closed.ts';
import type { LoggedChange } from '../graph/updates/changeLog.ts';
import type { ClosedTo } from '../knowledge/conditions.ts';
import type { Query } from '../knowledge/query/query.ts';
import type { AskedChanges } from '../knowledge/subscribe/follow.ts';
import { rightsText } from '../security/principal.ts';
import { type EntityPlan, entityPlan, withEntity } from './entityChanges.ts';

/** The result of a change, as its subscriber is to have it; undefined where it is not told. */
export type ResultFor = (
  change: LoggedChange,
  execute: (document: AskedChanges['document']) => PromiseLike<ExecutionResult> | ExecutionResult,
) => Promise<ExecutionResult | undefined>;

export interface EntityParts {
  schema: GraphQLSchema;
  query: Query;
  closedTo: ClosedTo;
}

export interface EntitiesAsked {
  changes: Pick<AskedChanges, 'document' | 'shape'>;
  variables?: Record<string, unknown>;
  bounds?: Bounds;
  call: Call;
}

/** Of one agent at the same time, so that what it asks otherwise finds room. */
const mostQueries = 2;

type Found = Readonly<Record<string, unknown>> | undefined;

/**
 * Shows entities as a change has left them: by a query of the subscriber, with its rights and under the policy of the
 * moment, as of the revision of the change. Who asks the same with the same rights shares it.
 * @returns for a subscription; undefined where it isn't one to the changes of a class
 */
export function entityResults(parts: EntityParts): (asked: EntitiesAsked) => ResultFor | undefined {
  const { schema, closedTo } = parts;
  const turns = new KeyedLimits(mostQueries);
  const known = new WeakMap<LoggedChange, Map<string, Promise<Found>>>();
  return (asked) => {
    const { changes, call, bounds } = asked;
    const plan = entityPlan(schema, changes.document);
    if (!plan) return undefined;
    const rights = rightsText(call.principal);
    const found = (change: LoggedChange, revision: number): Promise<Found> => {
      const key = JSON.stringify([revision, changes.shape, bounds, rights, closedText(closedTo(call.principal))]);
      const shared = getOrInsert(known, change, () => new Map());
      return getOrInsert(shared, key, () => {
        const finding = turns.run(rights, () => entityOf(parts, plan, asked, change.statement.subject.id, revision));
        finding.catch(() => shared.delete(key));
        return finding;
      });
    };
    const isConditional = isConditionGiven(plan, asked.variables);
    return async (change, execute) => {
      const find = (revision: number) => orAborted(found(change, revision), call.signal);
      const after = await find(change.revision);
      if (!after && isConditional && !(await find(change.revision - 1))) return undefined;
      return withEntity(await execute(plan.change), plan, after);
    };
  };
}

function isConditionGiven({ condition }: EntityPlan, variables: EntitiesAsked['variables']): boolean {
  if (typeof condition !== 'object') return condition;
  const given = variables?.[condition.variable];
  return given === undefined ? condition.isDefaulted : given !== null;
}

/** What a subscription selects of an entity at a revision; undefined where it doesn't meet the condition. */
async function entityOf(
  { query }: EntityParts,
  { query: text, variables: used, condition, idVariable, whereVariable }: EntityPlan,
  { variables = {}, bounds = {}, call }: EntitiesAsked,
  id: string,
  revision: number,
): Promise<Found> {
  const own = Object.fromEntries(used.filter((name) => name in variables).map((name) => [name, variables[name]]));
  const isGiven = typeof condition === 'object' && variables[condition.variable] !== undefined;
  const where = isGiven ? { [whereVariable]: variables[condition.variable] ?? {} } : {};
  const params = {
    query: text,
    variables: { ...own, ...where, [idVariable]: id },
    ...bounds,
    metadata: { asOfRevision: Math.max(0, revision) },
  };
  try {
    // Who has asked first may go while others wait for the same.
    const { data } = await query(params, { ...call, signal: new AbortController().signal });
    const lists = Object.entries(data ?? {}) as [string, unknown[]][];
    if (lists.every(([, list]) => list.length === 0)) return undefined;
    return Object.fromEntries(lists.map(([name, [entity]]) => [name, entity]));
  } catch (error) {
    // One entity, found by its id: it is Neo4j that has much to do.
    if (error instanceof LimitExceeded && error.reason === 'timeout')
      throw new LimitExceeded('timeout', error.message, { limit: Number(error.data.limit), retryable: true });
    throw faultOf(error, ErrorCode.KnowledgeSubscription, 'subscribe again after the last event');
  }
}
