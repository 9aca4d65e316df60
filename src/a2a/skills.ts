/** One JSON-RPC request without its envelope, as an example. */
const example = (method: string, params: object) => JSON.stringify({ method, params });

const statement = {
  subject: { id: 'https://example.org/France', type: 'https://schema.org/Country' },
  predicate: { id: 'https://schema.org/name' },
  object: { value: 'France' },
  certainty: 0.95,
};

/** What an agent can have done here, for the agent card. */
export const skills = [
  {
    id: 'query',
    name: 'Query knowledge',
    description:
      'Answers a query over the shared graph in GraphQL, or in read-only Cypher where that is taken, on request limited to certain, recent or past statements.',
    tags: ['knowledge-graph', 'graphql', 'query'],
    examples: [
      example('knowledge/query', {
        query: '{ entities(limit: 10) { id type } }',
        queryLanguage: 'graphql',
        requiredCertainty: 0.8,
      }),
    ],
  },
  {
    id: 'update',
    name: 'Propose changes',
    description:
      'Adds, removes and replaces statements in one transaction, after checking them against the alignment rules.',
    tags: ['knowledge-graph', 'update', 'provenance'],
    examples: [
      example('knowledge/update', {
        mutations: [{ op: 'add', statement }],
        justification: 'Read in the atlas of 2025',
      }),
    ],
  },
  {
    id: 'subscribe',
    name: 'Follow changes',
    description:
      'Streams every confirmed change that matches a GraphQL subscription, and resumes where a stream broke off.',
    tags: ['knowledge-graph', 'subscription', 'server-sent-events'],
    examples: [
      example('knowledge/subscribe', {
        subscriptionQuery: 'subscription { statementChanged { op changeId } }',
        queryLanguage: 'graphql',
      }),
    ],
  },
  {
    id: 'review',
    name: 'Review proposals',
    description: 'Lists the updates that a rule holds for review, and approves or rejects them.',
    tags: ['knowledge-graph', 'alignment', 'review'],
    examples: [example('knowledge/review', { action: 'list', status: 'pending' })],
  },
];
