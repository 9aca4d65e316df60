import { refuse } from '../../base/reasons.ts';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import type { FoundAgent, RegisteredAgent, RegisteredAgentWithCard } from '../../wire/agents.ts';
import { existing } from '../answering.ts';
import type { AgentStore } from '../nodes/agentStore.ts';
import { withCard } from '../nodes/registered.ts';
import { requireNoLoop } from './hops.ts';
import type { DelegateRequest } from './request.ts';

export interface ChoosingParts {
  store: AgentStore;
  /** `agents/find` */
  find: UnaryMethod<{ agents: FoundAgent[] }>;
}

/** Agents that are looked at for one that has a capability. */
const candidates = 50;

/**
 * The agent that a delegation is sent to: the one that is named, or the likest that has the capability, one that is not
 * down before one that is.
 * @param hops the agents that have handed it on
 * @throws ConcordError `unknown-agent`, `capability-mismatch`, `delegation-loop`
 */
export async function chosenAgent(
  { store, find }: ChoosingParts,
  { to, capability, task }: Pick<DelegateRequest, 'to' | 'capability' | 'task'>,
  hops: readonly string[],
  call: Call,
): Promise<RegisteredAgentWithCard> {
  const wanted = [capability, task].filter((each) => each !== undefined);
  const { tenant } = call.principal;
  if (to !== undefined) {
    requireNoLoop(hops, to);
    const agent = withCard(await existing(store, { tenant, id: to }));
    for (const each of wanted)
      if (!offers(agent, each)) throw mismatch(`The agent ${to} doesn't say that it can`, each, agent);
    return agent;
  }
  const { agents } = await find({ skill: capability, tag: capability, first: candidates }, call);
  const able = agents.filter((agent) => wanted.every((each) => offers(agent, each)));
  const free = able.filter(({ id }) => !hops.includes(id));
  const found = free.find(({ status }) => status !== 'down') ?? free[0];
  // Who has handed it on would be the only one.
  if (!found && able[0]) requireNoLoop(hops, able[0].id);
  if (!found) throw mismatch('No agent here says that it can', capability ?? '');
  requireNoLoop(hops, found.id);
  return withCard(await existing(store, { tenant, id: found.id }));
}

/** Whether an agent has a skill or a tag by this very name, whatever its case. */
function offers({ skills, tags }: RegisteredAgent, name: string): boolean {
  const wanted = name.toLowerCase();
  const names = skills.flatMap((skill) => [skill.id, skill.name, ...skill.tags]);
  return [...names, ...tags].some((each) => each.toLowerCase() === wanted);
}

function mismatch(message: string, capability: string, agent?: RegisteredAgent) {
  const offered = agent?.skills.slice(0, 50).map(({ id }) => id);
  return refuse('capability-mismatch', `${message}: ${capability}`, { ...(offered && { skills: offered }) });
}
