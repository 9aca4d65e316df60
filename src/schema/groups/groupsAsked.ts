import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { refuse } from '../../base/reasons.ts';
import type { GroupOrder, GroupsAsked, Measure } from '../../graph/qualify/qualifier.ts';

/** A direction as Cypher has it (`sortDirections.ts`), by field. */
type Directions = Readonly<Record<string, GroupOrder['direction'] | null>>;

/** One of the orders of a query's `sort`. */
export interface GroupSort {
  count?: GroupOrder['direction'] | null;
  keys?: Directions | null;
  aggregate?: Readonly<Record<string, Directions | null>> | null;
}

/** What of a query's groups is asked of the connection. */
export interface Asked {
  /** The fields that are read: those of the keys, and behind them those that are measured. */
  fields: string[];
  /** What the connection is asked for, by places in `fields`. */
  groups: GroupsAsked;
  /** Field and measure of each of what is measured. */
  measured: readonly (readonly [string, Measure])[];
  /** The fields that an answer tells of, which may be but their types. */
  told: readonly string[];
}

/**
 * What a query asks of groups, by its selection and its `sort`.
 * @throws ConcordError -32010 `bad-argument` where nothing is grouped by, or what is sorted by is none of the keys
 */
export function groupsAsked(info: GraphQLResolveInfo, sort: readonly GroupSort[]): Asked {
  const path = [String(info.path.key)];
  const selected = fieldsUnder(info, info.fieldNodes);
  const under = (name: string) =>
    fieldsUnder(
      info,
      selected.filter((each) => each.name.value === name),
    );
  const keys = [...new Set(under('keys').map((each) => each.name.value))];
  if (keys.length === 0)
    throw refuse('bad-argument', `Select under 'keys' of '${path}' the fields to group by`, { path });
  const told = under('aggregate');
  const selectedMeasures = told.flatMap((field) =>
    fieldsUnder(info, [field]).map(({ name }) => [field.name.value, name.value]),
  );
  const wanted = [...selectedMeasures, ...sort.flatMap(({ aggregate }) => entriesOf(aggregate).flatMap(measuresIn))];
  const names = [...new Set(wanted.map((each) => each.join('.')))];
  const measured = names.map((each) => each.split('.') as [string, Measure]);
  const fields = [...keys, ...new Set(measured.map(([field]) => field).filter((each) => !keys.includes(each)))];
  const order = sort.flatMap(({ count, keys: byKeys, aggregate }): GroupOrder[] => [
    ...(count ? [{ of: 'count', direction: count } as const] : []),
    ...entriesOf(byKeys).map(([field, direction]) => {
      const at = keys.indexOf(field);
      const message = `The argument 'sort' of '${path}' has '${field}', which is not selected under 'keys'`;
      if (at < 0) throw refuse('bad-argument', message, { argument: 'sort', path });
      return { of: 'keys', at, direction } as const;
    }),
    ...entriesOf(aggregate).flatMap(([field, by]) =>
      entriesOf(by).map(
        ([measure, direction]) => ({ of: 'measured', at: names.indexOf(`${field}.${measure}`), direction }) as const,
      ),
    ),
  ]);
  const asked = measured.map(([field, by]) => ({ at: fields.indexOf(field), by }));
  return {
    fields,
    groups: { keys: keys.length, measured: asked, order },
    measured,
    told: told.map(({ name }) => name.value),
  };
}

const measuresIn = ([field, by]: [string, Directions]) => entriesOf(by).map(([measure]) => [field, measure]);

/** Without what is null, which asks for nothing. */
function entriesOf<Value>(of: Readonly<Record<string, Value | null>> | null | undefined): [string, Value][] {
  return Object.entries(of ?? {}).filter((each): each is [string, Value] => each[1] !== null);
}

/** The fields that are selected under these, whatever they are called in the answer. */
function fieldsUnder({ fragments, variableValues }: GraphQLResolveInfo, of: readonly FieldNode[]): FieldNode[] {
  const within = (selection: SelectionSetNode | undefined): FieldNode[] =>
    (selection?.selections ?? []).flatMap((each) => {
      const isLeftOut =
        getDirectiveValues(GraphQLSkipDirective, each, variableValues)?.if === true ||
        getDirectiveValues(GraphQLIncludeDirective, each, variableValues)?.if === false;
      if (isLeftOut) return [];
      if (each.kind === Kind.FIELD) return each.name.value === '__typename' ? [] : [each];
      const inner = each.kind === Kind.INLINE_FRAGMENT ? each : fragments[each.name.value];
      return within(inner?.selectionSet);
    });
  return of.flatMap(({ selectionSet }) => within(selectionSet));
}
