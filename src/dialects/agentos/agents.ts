import type { Principal } from '../../security/principal.ts';
import type { Skills } from '../../skills/skill.ts';
import { skillNames } from '../../skills/skills.ts';

/** An agent that is called at `/a2a/{id}`. */
export interface Agent {
  id: string;
  name: string;
  description: string;
  /** What can be run; where it is one, nobody needs to name it. */
  skills: Skills;
}

/**
 * The agent of an id that a caller sees; undefined where there is none.
 * @param principal absent where a stranger asks for the card
 */
export type FindAgent = (id: string, principal?: Principal) => Promise<Agent | undefined>;

/** The agent of all skills. */
export const wholeAgent = 'concord';

/** What stands at `/a2a/v1` is HTTP+JSON: no agent has this id. */
export const reservedId = 'v1';

/** Whether an id stands for an agent of Concord's own, or for a path beside them. */
export function isOwnId(id: string): boolean {
  return id === wholeAgent || id === reservedId || skillNames.some((name) => name === id);
}

/** Concord's own agents: one of all skills, and one for each skill under its name. */
export function ownAgents(skills: Skills): FindAgent {
  const whole: Agent = {
    id: wholeAgent,
    name: 'Concord',
    description: 'A shared knowledge graph: agents query it, propose changes to it and follow its changes.',
    skills,
  };
  const single = [...skills].map(
    ([id, skill]): Agent => ({
      id,
      name: `Concord: ${id}`,
      description: skill.summary,
      skills: new Map([[id, skill]]),
    }),
  );
  const byId = new Map([...single, whole].filter(({ id }) => id !== reservedId).map((agent) => [agent.id, agent]));
  return async (id) => byId.get(id);
}
