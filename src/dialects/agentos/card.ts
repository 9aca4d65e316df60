import { z } from 'zod';
import { version } from '../../base/version.ts';
import { parametersSchema } from '../../skills/parametersSchema.ts';
import type { Skill } from '../../skills/skill.ts';
import type { Agent } from './agents.ts';

/** The agent card; AgentOS 0.3.0, section 2. */
export const agentCard = z.strictObject({
  protocolVersion: z.literal('0.3.0'),
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Concord's. */
  version: z.string(),
  /** Below the agent's own address. */
  endpoints: z.strictObject({ rpc: z.literal('/rpc'), ws: z.literal('/ws') }),
  capabilities: z.strictObject({ streaming: z.boolean(), events: z.boolean(), files: z.boolean() }),
  skills: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      /** JSON Schema, draft 2020-12: what `context` holds for the skill. */
      parameters: z.record(z.string(), z.unknown()),
    }),
  ),
});

export type AgentCard = z.output<typeof agentCard>;

const cards = new WeakMap<Agent, AgentCard>();

/** The card of an agent; it is made once. */
export function cardOf(agent: Agent): AgentCard {
  const known = cards.get(agent);
  if (known) return known;
  const { id, name, description, skills } = agent;
  const card: AgentCard = {
    protocolVersion: '0.3.0',
    id,
    name,
    description,
    version,
    endpoints: { rpc: '/rpc', ws: '/ws' },
    // Over the socket, both.
    capabilities: { streaming: true, events: true, files: false },
    skills: [...skills].map(([skill, each]) => ({
      name: skill,
      description: descriptionOf(each),
      parameters: parametersSchema(each),
    })),
  };
  cards.set(agent, card);
  return card;
}

function descriptionOf({ summary, textField }: Skill): string {
  return textField === undefined ? summary : `${summary}. The text of task stands for ${textField}`;
}
