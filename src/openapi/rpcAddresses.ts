import { requestShape } from '../a2a/handler/requestShape.ts';
import type { Methods } from '../calls/call.ts';
import { agentCard } from '../dialects/agentos/card.ts';
import { runParams } from '../dialects/agentos/messages.ts';
import type { Components, JsonSchema } from './components.ts';
import { type Addresses, answers, anyObject, anyText, body, eventStream, inPath, json, ok } from './operation.ts';

const id: JsonSchema = { type: ['string', 'integer', 'null'] };

/** An answer of JSON-RPC 2.0. */
const answer: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'id'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'number', 'null'] },
    result: {},
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: anyText, data: { type: ['object', 'array'] } },
    },
  },
  oneOf: [{ required: ['result'] }, { required: ['error'] }],
};

/** `POST /a2a`, and AgentOS below it. */
export function rpcAddresses({ unary, streaming }: Methods, components: Components): Addresses {
  components.schemas.RpcAnswer = answer;
  const answerRef = { $ref: '#/components/schemas/RpcAnswer' };
  const calls = [...unary, ...streaming].map(([method, { params }]) => {
    // Of the methods of A2A it is checked what any of them may hold.
    const schema = params ? components.asked(nameOf(method), params) : components.asked('A2aParams', requestShape);
    return call(method, schema);
  });
  const one = { anyOf: calls };
  const batch = { type: 'array', minItems: 1, maxItems: 100, items: one };
  const run = call('run', components.asked('RunParams', runParams));
  const card = json(components.answered('AgentOsCard', agentCard));
  const noContent = { 204: { description: 'Notifications have no answer' } };
  return {
    '/a2a': {
      post: {
        summary: 'JSON-RPC 2.0: the methods of knowledge and agents, and those of A2A 1.0, 0.3 and the first A2A',
        tags: ['JSON-RPC'],
        parameters: [{ name: 'A2A-Version', in: 'header', required: false, schema: { enum: ['1.0', '0.3', '0.1'] } }],
        requestBody: body({ anyOf: [one, batch] }),
        responses: answers(
          {
            ...ok('The answers, or the events of a streaming method', {
              ...json({ anyOf: [answerRef, { type: 'array', items: answerRef }] }),
              ...eventStream,
            }),
            ...noContent,
          },
          answerRef,
        ),
      },
    },
    '/a2a/{agent}/rpc': {
      post: {
        summary: 'AgentOS 0.3.0: runs a skill',
        tags: ['AgentOS'],
        parameters: inPath('agent'),
        requestBody: body(run),
        responses: answers({ ...ok('The answer', json(answerRef)), ...noContent }, answerRef),
      },
    },
    '/a2a/{agent}/.well-known/agent-card.json': {
      get: {
        summary: 'The card of an agent',
        tags: ['AgentOS'],
        parameters: inPath('agent'),
        responses: answers(ok('The card', card)),
        security: [],
      },
    },
    '/a2a/{agent}/ws': {
      get: {
        summary: 'A WebSocket to an agent, in which calls, progress and events are JSON-RPC',
        tags: ['AgentOS'],
        parameters: inPath('agent'),
        responses: answers({ 101: { description: 'The socket is open' } }, answerRef),
      },
    },
  };
}

function call(method: string, params: JsonSchema): JsonSchema {
  const properties = { jsonrpc: { const: '2.0' }, id, method: { const: method }, params };
  return { ...anyObject, required: ['jsonrpc', 'method', 'id'], properties };
}

/** `knowledge/query` → `KnowledgeQueryParams` */
function nameOf(method: string): string {
  const words = method.split('/').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Params`;
}
