import type { A2aCore } from '../a2a/a2a.ts';
import { ownAgents } from '../dialects/agentos/agents.ts';
import { createOne } from '../dialects/one/one.ts';
import type { Oversight } from '../limits/oversight.ts';
import type { Authenticate } from '../security/authenticator.ts';
import type { Skills } from '../skills/skill.ts';
import type { Rooms } from './doors.ts';

/** What stands behind `/a2a/messages`. */
export function openOne(
  { foundation, identity, agents, address }: Pick<Rooms, 'foundation' | 'identity' | 'agents' | 'address'>,
  { skills, ...parts }: { core: A2aCore; skills: Skills; authenticate: Authenticate; oversight: Oversight },
) {
  const { config, instruments, logger } = foundation;
  const { events, conversations, seals } = agents;
  const own = ownAgents(skills);
  return createOne({
    async agentOf(id, call) {
      const found = await own(id, call.principal);
      if (!found) await agents.get({ id }, call);
      return found;
    },
    ...parts,
    ...{ identities: identity.required, events, conversations, seals, config, instruments, logger },
    endpoint: () => address.messages,
  });
}
