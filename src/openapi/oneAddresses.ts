import { envelope } from '../agents/envelopes/envelope.ts';
import { listParams } from '../dialects/one/listing.ts';
import type { Components, JsonSchema } from './components.ts';
import { type Addresses, answers, anyObject, body, inQuery, json, ok } from './operation.ts';

const tags: [string] = ['ONE'];

/** A message of Concord's, which an error is too. */
const message: JsonSchema = {
  type: 'object',
  required: ['version', 'messageId', 'timestamp', 'from', 'message'],
  properties: { version: { const: '1.0' }, messageId: { type: 'string' }, message: anyObject },
};

const refusal: JsonSchema = { type: 'object', required: ['error'], properties: { error: anyObject } };

const events: JsonSchema = {
  type: 'object',
  required: ['events'],
  properties: { events: { type: 'array', items: anyObject } },
};

/** The envelopes of ONE. */
export function oneAddresses(components: Components): Addresses {
  components.schemas.OneMessage = message;
  const messageRef = { $ref: '#/components/schemas/OneMessage' };
  components.asked('OneListing', listParams);
  return {
    '/a2a/messages': {
      post: {
        summary: 'A message of ONE, and what is answered to it',
        tags,
        requestBody: body(components.asked('OneEnvelope', envelope)),
        responses: answers(
          {
            ...ok('The answer', json(messageRef)),
            202: { description: 'The task is accepted', content: json(messageRef) },
          },
          messageRef,
        ),
      },
      get: {
        summary: "The caller's messages that have come and gone",
        tags,
        parameters: inQuery(components.schemas.OneListing ?? anyObject),
        responses: answers(ok('The messages, newest first', json(events)), refusal),
      },
    },
  };
}
