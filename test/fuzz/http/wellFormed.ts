import { message, message03 } from '../../a2a/tasks.ts';
import type { Random } from '../../graph/qualify/random.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { marked } from './shot.ts';

const ids = ['urn:fuzz:a', 'urn:fuzz:b', 'https://example.org/c'];

export const documents = [
  '{ entities(limit: 3) { id } }',
  'query Q($n: Int) { countries(where: {name: {contains: "a"}}, limit: $n) { id name borders { name } } }',
  '{ countriesConnection(first: 2, after: null) { edges { cursor node { name } } pageInfo { hasNextPage } } }',
  'query { statements(where: {subject: "urn:fuzz:a"}) { predicate value certainty } }',
  'fragment F on Country { name ...G } fragment G on Country { code } { countries { ...F @include(if: true) } }',
  'subscription { statementChanged { op } }',
  'subscription { countryCreated(where: {name: {eq: "a"}}) { createdCountry { name } } }',
  '{ __schema { types { name fields { name args { name } } } } }',
  'mutation { createCountries(input: []) { info { nodesCreated } } }',
];
const cypher = [
  'MATCH (n:Country) WHERE n.name CONTAINS $v RETURN n.name, labels(n) ORDER BY n.name LIMIT 5',
  'MATCH p = (a:Country)-[r:borders*1..2]->(b) RETURN count(p)',
];

/** A card as agents register it. */
export const card = {
  name: 'Translator',
  description: 'Translates.',
  version: '2.1.0',
  supportedInterfaces: [{ url: 'https://agent.invalid/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true, pushNotifications: false, extensions: [{ uri: 'urn:e', required: false }] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'x-api-key' } } },
  skills: [{ id: 'translate', name: 'Translate', description: 'Into another.', tags: ['language'] }],
  signatures: [{ protected: 'eyJhbGciOiJFUzI1NiJ9', signature: 'AAAA' }],
};

const skills = [
  { skill: 'query', query: documents[0] },
  { skill: 'explain', subject: ids[0], predicate: `${schemaOrg}name` },
  { skill: 'validate', mutations: [add('urn:fuzz:a', `${schemaOrg}name`, 'a')] },
  { skill: 'update', mutations: [add('urn:fuzz:a', `${world}area`, 1.5, { certainty: 0.5 })] },
  { skill: 'ask', question: 'Which countries border France and have a population over 3 million?' },
  { skill: 'delegate', agent: 'translator', message: { text: 'hello' } },
  { skill: 'coordinate', steps: [{ id: 'one', agent: 'translator', input: { text: 'a' }, after: [] }] },
];

const conditions = { requiredCertainty: 0.5, maxAgeSeconds: 60, metadata: { asOf: '2026-11-24T12:00:00Z' } };

/** The params of each method that is called by JSON-RPC, as they should be. */
export function calls(random: Random): [method: string, params: object][] {
  const id = random.pick(ids);
  const mutations = [
    add(id, `${schemaOrg}name`, 'a name', { type: `${schemaOrg}Country`, provenance: { source: 'fuzz' } }),
    replace(id, `${world}population`, 5),
    remove(id, `${world}borders`, { id: 'urn:fuzz:b' }),
  ];
  const query = random.pick(documents);
  const own = { messageId: `m${random.below(1e9)}` };
  const skill = random.pick(skills);
  return [
    ['knowledge/query', { query, variables: { n: 2 }, ...conditions }],
    ['knowledge/query', { query: random.pick(cypher), queryLanguage: 'cypher', variables: { v: 'a' } }],
    ['knowledge/update', { mutations, idempotencyKey: 'k', metadata: { comment: 'c' }, expectedRevision: 1 }],
    ['knowledge/subscribe', { query: 'subscription { statementChanged { op } }', filter: { predicates: [] } }],
    ['knowledge/subscriptions', { action: 'list', limit: 3 }],
    ['knowledge/review', { action: 'list', status: 'pending', limit: 2 }],
    ['knowledge/purge', { subject: 'urn:fuzz:gone', dryRun: true }],
    [
      'agents/register',
      { id: 'translator', card, tags: ['a'], credentials: { scheme: 'bearer', token: marked.agentToken } },
    ],
    ['agents/find', { skill: 'translate', tags: ['language'], limit: 3 }],
    ['agents/list', { limit: 3 }],
    ['agents/get', { id: 'translator' }],
    ['SendMessage', { ...message(skill, own), configuration: { returnImmediately: true, historyLength: 1 } }],
    ['SendStreamingMessage', message(skill, own)],
    ['message/send', { ...message03(skill, own), configuration: { blocking: false } }],
    ['message/stream', message03(skill, own)],
    ['tasks/send', { id: 'fuzz-task', message: { role: 'user', parts: [{ type: 'data', data: skill }] } }],
    ['GetTask', { id: 'fuzz-task', historyLength: 1 }],
    ['ListTasks', { pageSize: 2, contextId: 'c' }],
    ['CancelTask', { id: 'fuzz-task' }],
    ['SubscribeToTask', { id: 'fuzz-task' }],
    ['tasks/resubscribe', { id: 'fuzz-task' }],
    [
      'CreateTaskPushNotificationConfig',
      { taskId: 'fuzz-task', id: 'p', url: 'https://agent.invalid/', token: marked.pushToken },
    ],
    ['tasks/pushNotificationConfig/set', { taskId: 'fuzz-task', pushNotificationConfig: { url: 'https://a.invalid' } }],
    ['GetExtendedAgentCard', {}],
  ];
}
