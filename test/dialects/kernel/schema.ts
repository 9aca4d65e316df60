import { Ajv, type ValidateFunction } from 'ajv';

/** The messages of the first A2A as JSON Schema, written from its description; nothing else may be in them. */

const object = (properties: Record<string, object>, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = { type: 'string' };
const flag = { type: 'boolean' };
const anything = { type: 'object' };
const count = { type: 'integer', minimum: 0 };
const list = (items: object) => ({ type: 'array', items });
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const is = (value: string) => ({ const: value });

const definitions = {
  part: {
    oneOf: [
      object({ type: is('text'), text, metadata: anything }, ['type', 'text']),
      object({ type: is('data'), data: anything, metadata: anything }, ['type', 'data']),
      object({ type: is('file'), file: ref('file'), metadata: anything }, ['type', 'file']),
    ],
  },
  file: {
    ...object({ name: text, mimeType: text, bytes: text, uri: text }, []),
    oneOf: [{ required: ['bytes'] }, { required: ['uri'] }],
  },
  message: object(
    { role: { enum: ['user', 'agent'] }, parts: { ...list(ref('part')), minItems: 1 }, metadata: anything },
    ['role', 'parts'],
  ),
  status: object(
    {
      state: { enum: ['submitted', 'working', 'input-required', 'completed', 'canceled', 'failed', 'unknown'] },
      message: ref('message'),
      timestamp: { ...text, pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' },
    },
    ['state', 'timestamp'],
  ),
  artifact: object(
    {
      name: text,
      description: text,
      parts: list(ref('part')),
      index: count,
      append: flag,
      lastChunk: flag,
      metadata: anything,
    },
    ['parts'],
  ),
  task: object(
    {
      id: text,
      sessionId: text,
      status: ref('status'),
      artifacts: list(ref('artifact')),
      history: list(ref('message')),
      metadata: anything,
    },
    ['id', 'status'],
  ),
  event: {
    oneOf: [
      object({ id: text, status: ref('status'), final: flag, metadata: anything }, ['id', 'status']),
      object({ id: text, artifact: ref('artifact'), metadata: anything }, ['id', 'artifact']),
    ],
  },
  authentication: object({ schemes: list(text), credentials: text }, ['schemes']),
  pushConfig: object({ url: text, token: text, authentication: ref('authentication') }, ['url']),
  taskPushConfig: object({ id: text, pushNotificationConfig: ref('pushConfig') }, ['id', 'pushNotificationConfig']),
  sendParams: object(
    {
      id: text,
      sessionId: text,
      message: ref('message'),
      acceptedOutputModes: list(text),
      pushNotification: ref('pushConfig'),
      historyLength: count,
      metadata: anything,
    },
    ['id', 'message'],
  ),
  getParams: object({ id: text, historyLength: count, metadata: anything }, ['id']),
  idParams: object({ id: text, metadata: anything }, ['id']),
  error: object({ code: { type: 'integer' }, message: text, data: {} }, ['code', 'message']),
  // What it has beside is for others.
  card: {
    type: 'object',
    properties: {
      name: text,
      description: text,
      url: text,
      version: text,
      documentationUrl: text,
      provider: object({ organization: text, url: text }, ['organization']),
      capabilities: {
        type: 'object',
        properties: {
          streaming: flag,
          pushNotifications: flag,
          stateTransitionHistory: flag,
          knowledgeGraph: flag,
          knowledgeGraphQueryLanguages: list(text),
        },
      },
      authentication: ref('authentication'),
      defaultInputModes: list(text),
      defaultOutputModes: list(text),
      skills: list({
        type: 'object',
        properties: {
          id: text,
          name: text,
          description: text,
          tags: list(text),
          examples: list(text),
          inputModes: list(text),
          outputModes: list(text),
        },
        required: ['id', 'name'],
      }),
    },
    required: ['name', 'url', 'version', 'capabilities', 'skills'],
  },
};

type Name = keyof typeof definitions;

const ajv = new Ajv({ allErrors: true });
const validators = new Map<Name, ValidateFunction>();

/** What is wrong with a message; nothing is an empty list. */
export function faultsOf(name: Name, value: unknown): string[] {
  const validate = validators.get(name) ?? ajv.compile({ definitions, ...ref(name) });
  validators.set(name, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
