import { RunAgentInputSchema } from '@ag-ui/core/schemas';
import { operationParams } from '../graphql/operationParams.ts';
import type { Components, JsonSchema } from './components.ts';
import {
  type Addresses,
  answers,
  anyObject,
  anyText,
  body,
  eventStream,
  inPath,
  inQuery,
  json,
  type Operation,
  ok,
} from './operation.ts';

const html = { 'text/html': { schema: anyText } };
const plain = { 'text/plain': { schema: anyText } };

/** What is shown to whoever asks. */
const shown = (summary: string, content: ReturnType<typeof json>): { get: Operation } => ({
  get: { summary, tags: ['About the service'], responses: answers(ok(summary, content)), security: [] },
});

const readiness: JsonSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { enum: ['ready', 'not ready', 'draining'] }, checks: anyObject },
};

const graphqlAnswer: JsonSchema = {
  type: 'object',
  properties: { data: { type: ['object', 'null'] }, errors: { type: 'array', items: anyObject } },
  anyOf: [{ required: ['data'] }, { required: ['errors'] }],
};

/** Cards, health, the schema, GraphQL, the gateway for people, and this description. */
export function otherAddresses(components: Components): Addresses {
  const operation = components.asked('GraphqlOperation', operationParams);
  const run = components.asked('RunAgentInput', RunAgentInputSchema);
  components.schemas.GraphqlAnswer = graphqlAnswer;
  const answerRef = { $ref: '#/components/schemas/GraphqlAnswer' };
  const answered = ok('The answer, or the events of a subscription', {
    ...json(answerRef),
    'application/graphql-response+json': { schema: answerRef },
    ...eventStream,
    ...html,
  });
  const tags: [string] = ['GraphQL'];
  const asQuery = { query: anyText, operationName: anyText, variables: anyText };
  return {
    '/': shown('What there is', { ...json(anyObject), ...html }),
    '/openapi.json': shown('This description', json(anyObject)),
    '/openapi': shown('This description, for people', html),
    '/.well-known/agent-card.json': shown('The agent card', json(anyObject)),
    '/.well-known/agent.json': shown('The agent card of A2A 0.3 and the first A2A', json(anyObject)),
    '/.well-known/jwks.json': shown('The key that cards and notifications are signed with, where there is one', {
      ...json(anyObject),
    }),
    '/.well-known/oauth-protected-resource': shown(
      'Where callers get tokens (RFC 9728), where tokens are taken',
      json(anyObject),
    ),
    '/healthz': shown('Whether the process is alive', json(anyObject)),
    '/readyz': {
      get: {
        ...shown('Whether it can serve, check by check', json(readiness)).get,
        responses: answers(ok('It can', json(readiness)), readiness),
      },
    },
    '/metrics': {
      get: {
        summary: 'Metrics for Prometheus, where operators have no port of their own',
        tags: ['About the service'],
        responses: answers(ok('The metrics', plain)),
      },
    },
    '/schema.graphql': {
      get: {
        summary: 'The GraphQL schema, where it is shown',
        tags: ['About the service'],
        responses: answers(ok('The schema', plain)),
      },
    },
    '/graphql': {
      get: {
        summary: 'A GraphQL query, a subscription as server-sent events, or for browsers the explorer',
        tags,
        parameters: inQuery({ properties: asQuery }),
        responses: answers(answered, answerRef),
      },
      post: {
        summary: 'A GraphQL query, or a subscription as server-sent events',
        tags,
        requestBody: body(operation),
        responses: answers(answered, answerRef),
      },
    },
    '/graphql/explorer/{file}': {
      get: {
        summary: 'What the explorer loads, where the schema is shown',
        tags,
        parameters: inPath('file'),
        responses: answers(ok('The file', { '*/*': { schema: {} } }), answerRef),
        security: [],
      },
    },
    '/ag-ui': {
      post: {
        summary: 'A run of AG-UI: one address for people, behind which all registered agents are',
        tags: ['AG-UI'],
        requestBody: body(run),
        responses: answers(ok('The events of the run', eventStream), { $ref: '#/components/schemas/A2aError' }),
      },
    },
  };
}
