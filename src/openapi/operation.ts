import type { JsonSchema } from './components.ts';

export type Verb = 'get' | 'post' | 'delete';

/** What a request of an address is answered with, by its media type: a schema, or a text. */
type Content = Record<string, { schema: JsonSchema }>;

/** One method of one address. */
export interface Operation {
  summary: string;
  tags: [string];
  parameters?: object[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  security?: object[];
}

/** Operations by address and method. */
export type Addresses = Record<string, Partial<Record<Verb, Operation>>>;

export const anyObject: JsonSchema = { type: 'object' };
export const anyText: JsonSchema = { type: 'string' };

/** What every address may be answered with: a line that says what is wrong. */
export const plainError: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' }, reason: { type: 'string' }, traceId: { type: 'string' } },
};

export const json = (schema: JsonSchema): Content => ({ 'application/json': { schema } });
/** Each event of a stream of server-sent events. */
const anyEvent: JsonSchema = {
  type: 'object',
  properties: { event: { type: 'string' }, data: { type: 'string' }, id: { type: 'string' } },
};
export const eventStream: Content = { 'text/event-stream': { schema: anyEvent } };

/** Server-sent events by their names, with what their data are as JSON. */
export function eventsOf(schemas: Record<string, JsonSchema>): Content {
  const anyOf = Object.entries(schemas).map(([event, contentSchema]) => ({
    type: 'object',
    required: ['event', 'data'],
    properties: {
      event: { const: event },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema },
    },
  }));
  return { 'text/event-stream': { schema: { anyOf } } };
}

export const body = (schema: JsonSchema) => ({ required: true, content: json(schema) });

/** @param names in the order in which they stand in the path */
export function inPath(...names: string[]): object[] {
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } }));
}

/** Each member of an object as a parameter of the query, where all is text. */
export function inQuery(schema: JsonSchema): object[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties).map(([name, each]) => ({
    ...{ name, in: 'query', required: required.includes(name), schema: each },
  }));
}

/**
 * @param statuses the answers that are none of errors
 * @param errors how this door says what is wrong, beside `plainError`
 */
export function answers(
  statuses: Record<string, { description: string; content?: Content }>,
  ...errors: JsonSchema[]
): Operation['responses'] {
  const schema = errors.length === 0 ? plainError : { anyOf: [...errors, plainError] };
  return { ...statuses, default: { description: 'What is wrong with the request, or here', content: json(schema) } };
}

export const ok = (description: string, content?: Content) => ({ 200: { description, ...(content && { content }) } });
