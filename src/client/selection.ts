import { InvalidParamsError } from './errors.ts';
import type { ClassModel, FieldModel } from './vocabulary/model.ts';

type Models = Readonly<Record<string, ClassModel>>;
type Values = Record<string, unknown>;

/** What is asked of a class, whatever its types. */
export interface AnyAsked {
  select: Values;
  where?: Values;
  sort?: readonly Values[];
  limit?: number;
  offset?: number;
}

/**
 * GraphQL for a selection, with its variables.
 * @throws InvalidParamsError for a name that the class doesn't have
 */
export function queryOf(models: Models, name: string, asked: AnyAsked): { text: string; variables: Values } {
  const { plural } = modelOf(models, name);
  const { select, where, ...rest } = asked;
  const types: Record<string, string> = {
    where: `${name}Where`,
    sort: `[${name}Sort!]`,
    limit: 'Int',
    offset: 'Int',
  };
  const all: Values = { ...rest, ...(where && { where: conditionsOf(models, name, where, ['where']) }) };
  const variables = Object.fromEntries(
    Object.entries(all).filter(([each, value]) => Object.hasOwn(types, each) && value !== undefined),
  );
  const given = Object.keys(variables);
  const declared = given.map((each) => `$${each}: ${types[each]}`).join(', ');
  const passed = given.map((each) => `${each}: $${each}`).join(', ');
  const inner = selectionText(models, name, select, []);
  const text = `query${declared && ` (${declared})`} { ${plural}${passed && `(${passed})`} ${inner} }`;
  return { text, variables };
}

/** Rows as their types have them: dates as dates, and a link of one end as one object. */
export function rowsOf(models: Models, name: string, rows: Values[]): Values[] {
  const { fields } = modelOf(models, name);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([each, value]) => [
        each,
        Object.hasOwn(fields, each) ? decoded(models, fields[each] as FieldModel, value) : value,
      ]),
    ),
  );
}

function selectionText(models: Models, name: string, select: Values, path: string[]): string {
  const { fields } = modelOf(models, name);
  const chosen = Object.entries(select).filter(([, value]) => value !== undefined);
  if (chosen.length === 0) throw invalid(['select', ...path], 'is empty');
  const texts = chosen.map(([each, value]) => {
    const place = [...path, each];
    const field = Object.hasOwn(fields, each) ? fields[each] : undefined;
    if (field === undefined && each !== 'id' && each !== 'type')
      throw invalid(['select', ...place], `is no field of ${name}`);
    if (field !== undefined && 'class' in field) {
      if (typeof value === 'object' && value !== null)
        return `${each} ${selectionText(models, field.class, value as Values, place)}`;
      throw invalid(['select', ...place], `is an entity: say which of its fields`);
    }
    if (value !== true) throw invalid(['select', ...place], 'is a value: choose it by true');
    return each;
  });
  return `{ ${texts.join(' ')} }`;
}

function decoded(models: Models, field: FieldModel, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if ('class' in field) {
    const rows = rowsOf(models, field.class, (Array.isArray(value) ? value : [value]) as Values[]);
    return field.list ? rows : (rows[0] ?? null);
  }
  if (field.scalar !== 'DateTime' && field.scalar !== 'Date') return value;
  return Array.isArray(value) ? value.map(dateOf) : dateOf(value);
}

/** A day is its midnight in UTC. */
const dateOf = (text: unknown) => new Date(String(text));

/** Conditions as they are sent: a day without its time. */
function conditionsOf(models: Models, name: string, where: Values, path: string[]): Values {
  const { fields } = modelOf(models, name);
  const sent = (each: string, value: unknown): unknown => {
    const place = [...path, each];
    const inner = (conditions: unknown, target = name) => conditionsOf(models, target, conditions as Values, place);
    if (value === undefined || value === null) return value;
    if (each === 'AND' || each === 'OR') return (value as unknown[]).map((one) => inner(one));
    if (each === 'NOT') return inner(value);
    if (each === 'id' || each === 'type') return value;
    const field = Object.hasOwn(fields, each) ? fields[each] : undefined;
    if (field === undefined) throw invalid(place, `is no field of ${name}`);
    if ('scalar' in field) return field.scalar === 'Date' ? mapped(value as Values, days) : value;
    if (!field.list) return inner(value, field.class);
    return mapped(value as Values, (conditions) => inner(conditions, field.class));
  };
  return Object.fromEntries(Object.entries(where).map(([each, value]) => [each, sent(each, value)]));
}

function mapped(values: Values, change: (value: unknown) => unknown): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** Days as text, alone or in a list. */
export function days(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(days);
  if (!(value instanceof Date)) return value;
  return Number.isNaN(value.getTime()) ? undefined : value.toISOString().slice(0, 10);
}

/** @throws InvalidParamsError */
export function modelOf(models: Models, name: string): ClassModel {
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (model === undefined) throw invalid(['class'], `names '${name}', which is no class of the vocabulary`);
  return model;
}

/** What isn't sent, for it would be refused. */
export function invalid(path: PropertyKey[], message: string): InvalidParamsError {
  const text = path.map(String).join('.');
  return new InvalidParamsError(`${text} ${message}`, {
    reason: 'invalid-params',
    retryable: false,
    issues: [{ path: text, message }],
  });
}
