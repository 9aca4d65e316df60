import type { Call, UnaryMethod } from '../../calls/call.ts';
import type { QueryResult } from '../../knowledge/query/query.ts';
import type { Condition, EntitySet, Query, ReadUnder, ValueOf } from '../query.ts';
import { printed } from './document.ts';
import { type Picture, pictureOf } from './picture.ts';
import { type PlanParts, planOf } from './plan.ts';
import { type Table, tableOf } from './table.ts';

export interface AnswerParts extends PlanParts {
  /** `knowledge/query` */
  query: UnaryMethod<QueryResult>;
}

/** What a question was answered by. */
export interface Answer {
  query: string;
  variables: Record<string, unknown>;
  data: QueryResult['data'];
  queryMetadata: QueryResult['queryMetadata'];
  table: Table;
  /** How the table is best shown. */
  picture: Picture;
}

/**
 * Runs a typed query as the caller's own, by the road of any query.
 * @throws ConcordError as `knowledge/query`
 */
export async function answer(query: Query, under: ReadUnder, parts: AnswerParts, call: Call): Promise<Answer> {
  const conditions = {
    ...(under.requiredCertainty !== undefined && { requiredCertainty: under.requiredCertainty }),
    ...(under.asOf !== undefined && { metadata: { asOf: under.asOf } }),
  };
  const run = (query: string, variables: Record<string, unknown>) =>
    parts.query({ query, variables, ...conditions }, call);
  const set = await setWithValues(query.set, async (value, field) => {
    const asked = printed(
      [{ name: parts.pluralOf(value.class), given: { where: 'where' }, fields: [{ name: field }] }],
      [{ name: 'where', type: `${value.class}Where`, value: { id: { eq: value.id } } }],
    );
    const { data } = await run(asked.query, asked.variables);
    const [row] = Object.values(data ?? {}).flat() as Record<string, unknown>[];
    return row?.[field] as number | string | null | undefined;
  });
  const whole = { ...query, set };
  const plan = planOf(whole, parts);
  const { data, queryMetadata } = await run(plan.query, plan.variables);
  const table = tableOf(whole, plan, data ?? {}, parts);
  return { query: plan.query, variables: plan.variables, data, queryMetadata, table, picture: pictureOf(table) };
}

type LookUp = (value: ValueOf, field: string) => Promise<number | string | null | undefined>;

async function setWithValues(set: EntitySet, lookUp: LookUp): Promise<EntitySet> {
  return {
    ...set,
    ...(set.where && { where: await withValues(set.where, lookUp) }),
    ...(set.from && { from: { ...set.from, set: await setWithValues(set.from.set, lookUp) } }),
  };
}

/** A comparison with an entity becomes one with what it has; where nothing is known of it, nothing is more or less. */
async function withValues(condition: Condition, lookUp: LookUp): Promise<Condition> {
  switch (condition.kind) {
    case 'compare': {
      if (typeof condition.value !== 'object') return condition;
      const value = await lookUp(condition.value, condition.field);
      return value === null || value === undefined
        ? { kind: 'is', ids: [], label: 'nothing' }
        : { ...condition, value };
    }
    case 'count': {
      if (typeof condition.value !== 'object') return condition;
      const value = await lookUp(condition.value, `${condition.field}Count`);
      return typeof value === 'number' ? { ...condition, value } : { kind: 'is', ids: [], label: 'nothing' };
    }
    case 'link':
      return { ...condition, of: await withValues(condition.of, lookUp) };
    case 'not': {
      const of = await withValues(condition.of, lookUp);
      // What isn't known is neither more nor not more.
      return of.kind === 'is' && of.ids.length === 0 ? of : { ...condition, of };
    }
    case 'and':
    case 'or':
      return { ...condition, of: await Promise.all(condition.of.map((each) => withValues(each, lookUp))) };
    default:
      return condition;
  }
}
