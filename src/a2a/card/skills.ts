import type { AgentSkill } from '@a2a-js/sdk';
import type { Principal, Scope } from '../../security/principal.ts';
import { exampleStatement } from '../../skills/exampleStatement.ts';
import type { Skills } from '../../skills/skill.ts';

/** One JSON-RPC request without its envelope, as an example. */
const example = (method: string, params: object) => JSON.stringify({ method, params });

const JSON_MODE = ['application/json'];
const TEXT_OR_JSON = ['text/plain', 'application/json'];

const statement = { ...exampleStatement, certainty: 0.95 };

interface Described extends Pick<AgentSkill, 'id' | 'name' | 'description' | 'tags'> {
  /** Of the method that does it. */
  examples?: string[];
  /** What the caller must have. */
  scope: Scope;
  /** Where it takes more than data. */
  inputModes?: string[];
}

const described: Described[] = [
  {
    id: 'query',
    name: 'Query knowledge',
    description:
      'Answers a query over the shared graph in GraphQL, or in read-only Cypher where that is taken, on request limited to certain, recent or past statements. By knowledge/query, or by a message with a data part.',
    tags: ['knowledge-graph', 'graphql', 'query'],
    examples: [
      example('knowledge/query', {
        query: '{ entities(limit: 10) { id type } }',
        queryLanguage: 'graphql',
        requiredCertainty: 0.8,
      }),
    ],
    scope: 'knowledge:query',
  },
  {
    id: 'propose',
    name: 'Propose changes',
    description:
      'Adds, removes and replaces statements in one transaction, after checking them against the alignment rules. By knowledge/update, or by a message with a data part; a task whose proposal is held for review waits for input.',
    tags: ['knowledge-graph', 'update', 'provenance'],
    examples: [
      example('knowledge/update', {
        mutations: [{ op: 'add', statement }],
        justification: 'Read in the atlas of 2025',
      }),
    ],
    scope: 'knowledge:update',
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
    scope: 'knowledge:subscribe',
  },
  {
    id: 'review',
    name: 'Review proposals',
    description: 'Lists the updates that a rule holds for review, and approves or rejects them.',
    tags: ['knowledge-graph', 'alignment', 'review'],
    examples: [example('knowledge/review', { action: 'list', status: 'pending' })],
    scope: 'knowledge:review',
  },
  {
    id: 'explain',
    name: 'Explain statements',
    description:
      'Tells where the statements about an entity come from: every version that the caller may see, with the agents that stated it, its update, task and justification. By a message with a data part.',
    tags: ['knowledge-graph', 'provenance', 'history'],
    scope: 'knowledge:query',
  },
  {
    id: 'explore',
    name: 'Explore the graph',
    description:
      'Finds classes and predicates of the vocabulary, and entities by their names, that are like some words; a few wrong letters do no harm. By a message with a data part.',
    tags: ['knowledge-graph', 'search', 'vocabulary'],
    scope: 'knowledge:query',
  },
  {
    id: 'validate',
    name: 'Validate a proposal',
    description:
      'A dry run of changes: tells the verdict of the alignment rules, and applies nothing. By a message with a data part.',
    tags: ['knowledge-graph', 'alignment', 'dry-run'],
    scope: 'knowledge:update',
  },
  {
    id: 'ask',
    name: 'Ask in natural language',
    description:
      'Answers a question by a GraphQL query that a language model makes of it; the answer has the query. By a message of plain text, or with a data part.',
    tags: ['knowledge-graph', 'natural-language', 'query'],
    scope: 'knowledge:query',
    inputModes: TEXT_OR_JSON,
  },
  {
    id: 'agents',
    name: 'Find agents',
    description:
      'Keeps the cards of agents, tells which of them are up, and finds those that have a skill. By agents/find, agents/list, agents/get, agents/register and agents/remove.',
    tags: ['agents', 'registry', 'discovery'],
    examples: [example('agents/find', { words: 'translate german' })],
    scope: 'agents',
  },
  {
    id: 'delegate',
    name: 'Delegate to another agent',
    description:
      'Hands a task on to a registered agent, by its id or by what it can do, in that agent’s own protocol, and reports what becomes of it. By a message with a data part.',
    tags: ['agents', 'delegation', 'tasks'],
    scope: 'agents',
  },
  {
    id: 'coordinate',
    name: 'Coordinate a workflow',
    description:
      'Has registered agents and the skills of this one do the steps of a workflow, one after another and side by side, and goes on where one fails. By a message with a data part.',
    tags: ['agents', 'workflow', 'coordination'],
    scope: 'agents',
  },
  {
    id: 'watch',
    name: 'Watch changes',
    description:
      'A task that reports every confirmed change that matches a GraphQL subscription until it is cancelled. By a message with a data part, best a streaming one.',
    tags: ['knowledge-graph', 'subscription', 'streaming'],
    scope: 'knowledge:subscribe',
  },
];

/**
 * What an agent can have done here, for the agent card; those that a message can ask for have an example of its data
 * part. What neither a method nor a message can ask for is left out.
 * @param principal leaves out what it may not ask for
 */
export function cardSkills(skills: Skills, principal?: Principal): AgentSkill[] {
  const may = (scope: Scope) => principal === undefined || principal.scopes.has(scope);
  return described
    .filter(({ scope }) => may(scope))
    .filter(({ id, examples }) => examples || (skills.has(id) && may('tasks')))
    .map(({ scope: _, examples = [], inputModes = JSON_MODE, ...skill }) => {
      const asked = may('tasks') ? skills.get(skill.id)?.example : undefined;
      return {
        ...skill,
        examples: asked ? [...examples, JSON.stringify(asked)] : examples,
        inputModes,
        outputModes: JSON_MODE,
        securityRequirements: [],
      };
    });
}
