import { extendSchema, type GraphQLFieldResolver, type GraphQLSchema, parse } from 'graphql';
import { refuse } from '../base/reasons.ts';
import type { Call, UnaryMethod } from '../calls/call.ts';
import type { RegisteredAgent } from '../wire/agents.ts';
import { isSearch } from './find.ts';

const definitions = `
  extend type Query {
    """
    The agents that are registered, for callers with the scope "agents": those that are like the words, skill or tag, the
    likest first; without these all, who was registered first comes first. No condition on statements holds for them
    """
    agents(
      words: String
      """Id or name of a skill"""
      skill: String
      tag: String
      """a2a, first-a2a, agentos or one"""
      protocol: String
      """up, down or unknown"""
      status: String
      first: Int = 10
      """The last id of the page before, where all are asked for"""
      afterId: ID
    ): [RegisteredAgent!]!
  }

  """What its card says is a stranger's text"""
  type RegisteredAgent {
    id: ID!
    name: String!
    description: String!
    version: String
    provider: String
    protocol: String!
    protocolVersion: String!
    endpoints: [RegisteredAgentEndpoint!]!
    skills: [RegisteredAgentSkill!]!
    tags: [String!]!
    capabilities: [String!]!
    extensions: [String!]!
    cardUrl: String
    """Absent for the local principal"""
    addedBy: String
    registeredAt: DateTime!
    changedAt: DateTime!
    """verified, none or unchecked"""
    signature: String!
    """up, down or unknown"""
    status: String!
    statusSince: DateTime!
    lastSeen: DateTime
    """Why its address fails, while it does"""
    failure: String
    """Ids of the skills that are like what was asked for"""
    matchingSkills: [String!]!
  }

  type RegisteredAgentEndpoint { url: String! binding: String! version: String }

  type RegisteredAgentSkill {
    id: String!
    name: String!
    description: String
    tags: [String!]!
    """JSON Schema; AgentOS only"""
    parameters: JSON
  }`;

/** The methods that it reads by, with their rights and limits. */
export interface AgentReaders {
  list: UnaryMethod<{ agents: RegisteredAgent[] }>;
  find: UnaryMethod<{ agents: RegisteredAgent[] }>;
}

type Asked = Partial<Record<'words' | 'skill' | 'tag' | 'protocol' | 'status' | 'afterId', string | null>>;

/** Of one query: each reads many cards. */
const mostLooks = 2;
const looks = new WeakMap<Call, number>();

/** @param call the context of the whole query. @throws ConcordError `too-costly` */
function requireFew(call: Call): void {
  const found = (looks.get(call) ?? 0) + 1;
  looks.set(call, found);
  if (found <= mostLooks) return;
  const message = `A query may ask for agents ${mostLooks} times; send several`;
  throw refuse('too-costly', message, { limit: mostLooks });
}

/**
 * The schema with `agents` at its root, unless a class of the vocabulary has this plural: what is known goes before who
 * knows it.
 */
export function withAgents(schema: GraphQLSchema, { list, find }: AgentReaders): GraphQLSchema {
  if (schema.getQueryType()?.getFields().agents) return schema;
  const extended = extendSchema(schema, parse(definitions));
  const field = extended.getQueryType()?.getFields().agents;
  const resolve: GraphQLFieldResolver<unknown, Call, Asked & { first: number }> = async (_source, asked, call) => {
    requireFew(call);
    const { principal, signal } = call;
    // Every `after` of the schema is a cursor of a connection.
    const { afterId: after = null, ...others } = asked;
    const given = Object.fromEntries(Object.entries({ ...others, after }).filter(([, value]) => value !== null));
    const { agents } = await (isSearch(asked) ? find : list)(given, { principal, signal });
    return agents.map((agent) => ({ matchingSkills: [], ...agent, failure: agent.failure?.reason }));
  };
  if (field) field.resolve = resolve;
  return extended;
}
