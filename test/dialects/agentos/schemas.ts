import { Ajv2020 } from 'ajv/dist/2020.js';

/* The messages as the specification and docs/agentos.md have them, in plain JSON Schema: nothing here is Concord's. */

const text = { type: 'string' };
const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** AgentOS 0.3.0, section 2. */
const card = object({
  protocolVersion: { const: '0.3.0' },
  id: { type: 'string', minLength: 1 },
  name: text,
  description: text,
  version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
  endpoints: object({ rpc: { type: 'string', pattern: '^/' }, ws: { type: 'string', pattern: '^/' } }),
  capabilities: object({ streaming: { type: 'boolean' }, events: { type: 'boolean' }, files: { type: 'boolean' } }),
  skills: {
    type: 'array',
    items: object({
      name: text,
      description: text,
      parameters: { type: 'object', properties: { type: { const: 'object' } }, required: ['type'] },
    }),
  },
});

const id = { type: ['string', 'number', 'null'] };
const task = object({
  id: { type: 'string', minLength: 1 },
  context_id: text,
  state: {
    enum: ['submitted', 'working', 'input-required', 'completed', 'canceled', 'failed', 'rejected', 'auth-required'],
  },
});
const part = {
  oneOf: [
    object({ type: { const: 'text' }, text }),
    object({ type: { const: 'data' }, data: {} }),
    object({ type: { const: 'file' }, name: text, mime_type: text, bytes: text, uri: text }, ['type', 'name']),
  ],
};
const artifact = { id: text, name: text, description: text, parts: { type: 'array', items: part } };

/** Section 3, with the task beside it. */
const runResult = object(
  {
    content: text,
    tool_calls: { type: 'array', maxItems: 0 },
    artifacts: { type: 'array', items: object(artifact) },
    task,
  },
  ['content', 'tool_calls', 'artifacts'],
);
const error = object({
  code: { type: 'integer' },
  message: { type: 'string', minLength: 1 },
  data: {
    type: 'object',
    properties: { details: { type: 'string', minLength: 1 } },
    required: ['details'],
  },
});
const jsonrpc = { const: '2.0' };
const answer = (result: object) => ({
  oneOf: [object({ jsonrpc, id, result }), object({ jsonrpc, id, error })],
});
const notification = (method: string, params: object) => object({ jsonrpc, method: { const: method }, params });

const schemas = {
  card,
  run: answer(runResult),
  cancel: answer(object({ task })),
  subscribe: answer(object({ subscription: text, cursor: text }, ['subscription'])),
  unsubscribe: answer(object({})),
  /** To what has no method of ours. */
  answer: answer({ type: 'object' }),
  progress: notification(
    'progress',
    object({ run: id, task, content: text, data: {}, artifact: object({ ...artifact, append: { type: 'boolean' } }) }, [
      'run',
      'task',
    ]),
  ),
  event: notification(
    'event',
    object({ subscription: text, cursor: text, event: { type: 'object' } }, ['subscription', 'event']),
  ),
  unsubscribed: notification('unsubscribed', object({ subscription: text, error })),
};

const ajv = new Ajv2020({ allowUnionTypes: true });
const validators = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));

/** Throws where a message isn't as its schema has it. */
export function check(name: keyof typeof schemas | string, message: unknown): void {
  const validate = validators[name] ?? validators.answer;
  if (!validate?.(message)) {
    throw new Error(`${JSON.stringify(message).slice(0, 500)} is no ${name}: ${ajv.errorsText(validate?.errors)}`);
  }
}
