import { requestShape } from '../a2a/handler/requestShape.ts';
import type { Components, JsonSchema } from './components.ts';
import { type Addresses, answers, anyObject, body, eventStream, inPath, json, type Verb } from './operation.ts';

/** Of A2A 1.0 (section 11.3) and 0.3, told apart by `A2A-Version`: what it does, and whether it streams. */
const own: [Verb, string, string, 'stream'?][] = [
  ['post', '/message:send', 'Begins a task, or goes on with one'],
  ['post', '/message:stream', 'The same, as a stream', 'stream'],
  ['get', '/tasks', 'The tasks of the caller; of 1.0'],
  ['get', '/tasks/{taskId}', 'A task'],
  ['post', '/tasks/{taskId}:cancel', 'Ends a task'],
  ['get', '/tasks/{taskId}:subscribe', 'What comes of a task', 'stream'],
  ['post', '/tasks/{taskId}:subscribe', 'What comes of a task', 'stream'],
  ['post', '/tasks/{taskId}/pushNotificationConfigs', 'Sets a receiver of push notifications'],
  ['get', '/tasks/{taskId}/pushNotificationConfigs', 'The receivers of a task'],
  ['get', '/tasks/{taskId}/pushNotificationConfigs/{configId}', 'A receiver'],
  ['delete', '/tasks/{taskId}/pushNotificationConfigs/{configId}', 'Removes a receiver'],
  ['get', '/extendedAgentCard', 'The card for a caller that is known; of 1.0'],
];

/** Of 0.3 alone. */
const legacy: typeof own = [['get', '/card', 'The card for a caller that is known; of 0.3']];

/** An error as A2A 1.0 has it, section 11.6, or 0.3. */
const error: JsonSchema = {
  anyOf: [
    {
      type: 'object',
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          required: ['code', 'status', 'message'],
          properties: { code: { type: 'integer' }, status: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
    {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: { type: 'string' } },
    },
  ],
};

/** HTTP+JSON, in the words of A2A's own description; with the tenant in the path too, where 1.0 allows it. */
export function httpJsonAddresses(components: Components): Addresses {
  const asked = components.asked('A2aParams', requestShape);
  components.schemas.A2aError = error;
  const addresses: Addresses = {};
  const add = (prefix: string, [verb, path, summary, streams]: (typeof own)[number]) => {
    const names = [...`${prefix}${path}`.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const content = { ...json(anyObject), 'application/a2a+json': { schema: anyObject }, ...(streams && eventStream) };
    const done = { description: 'As A2A has it', content };
    addresses[`${prefix}${path}`] = {
      ...addresses[`${prefix}${path}`],
      [verb]: {
        summary,
        tags: ['A2A over HTTP+JSON'],
        parameters: [
          ...inPath(...names),
          { name: 'A2A-Version', in: 'header', required: false, schema: { enum: ['1.0', '0.3'] } },
        ],
        ...(verb === 'post' && !path.endsWith('}:cancel') && !streamsOf(path) && { requestBody: body(asked) }),
        responses: answers(
          { 200: done, 201: done, 204: { description: 'It is removed' } },
          { $ref: '#/components/schemas/A2aError' },
        ),
      },
    };
  };
  for (const each of [...own, ...legacy]) add('/a2a/v1', each);
  for (const each of own) add('/a2a/v1/{tenant}', each);
  return addresses;
}

const streamsOf = (path: string) => path.endsWith(':subscribe');
