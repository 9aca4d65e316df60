import { getOrInsert } from '../../../base/getOrInsert.ts';

/** A group is closed when it has so many proposals, or so many patches. */
const proposalsPerGroup = 256;
export const patchesPerGroup = 2_000;
/** Of one agent, while others propose as well: so a group stays about as short as it would be without this agent. */
const sharePerGroup = 8;

/** What waits, as far as it matters here. */
export interface Queued {
  proposal: {
    patches: readonly unknown[];
    approvedBy?: string;
    update: { sourceAgentId: string; idempotencyKey?: string };
  };
}

/** What bounds the agents' shares of a group. */
export interface Shares {
  /** Whether others than this agent have proposed anything of late. */
  isCrowded(agent: string): boolean;
  /** Whether an agent's proposals are committed one by one, behind those of others. */
  isApart(agent: string): boolean;
  /** Whether it is the turn of those, though others wait. */
  isTurnOfApart: boolean;
}

/** A group, and whether it is the one proposal of somebody who is apart. */
export interface Group<Entry> {
  entries: Entry[];
  isApart: boolean;
}

/**
 * Takes the next group out of a queue: of each agent what came first, no more than its share. What one agent proposes
 * keeps its order.
 */
export function takeGroup<Entry extends Queued>(queue: Entry[], shares: Shares): Group<Entry> {
  const agentOf = ({ proposal }: Entry) => proposal.update.sourceAgentId;
  // A queue may be long, and of few agents.
  const known = new Map<string, boolean>();
  const isApart = (entry: Entry) => getOrInsert(known, agentOf(entry), () => shares.isApart(agentOf(entry)));
  const apart = queue.findIndex(isApart);
  const together = apart < 0 ? queue : queue.filter((entry) => !isApart(entry));
  if (apart >= 0 && (shares.isTurnOfApart || together.length === 0))
    return { entries: queue.splice(apart, 1), isApart: true };
  const taken = new Set(chosen(together, shares));
  let kept = 0;
  for (const entry of queue) if (!taken.has(entry)) queue[kept++] = entry;
  queue.length = kept;
  return { entries: [...taken], isApart: false };
}

function chosen<Entry extends Queued>(queue: Entry[], { isCrowded }: Shares): Entry[] {
  const group: Entry[] = [];
  const keys = new Set<string>();
  const counts = new Map<string, { taken: number; most: number }>();
  let patches = 0;
  for (const entry of queue) {
    const { proposal } = entry;
    const agent = proposal.update.sourceAgentId;
    const own = getOrInsert(counts, agent, () => ({
      taken: 0,
      most: isCrowded(agent) ? sharePerGroup : proposalsPerGroup,
    }));
    if (own.taken === own.most) continue;
    const key = keyOf(entry);
    patches += proposal.patches.length;
    const isLast = group.length === proposalsPerGroup || (group.length > 0 && patches > patchesPerGroup);
    // The second of a key answers what the first has come to, and an approval may find its proposal changed.
    const isAlone = (key !== undefined && keys.has(key)) || (group.length > 0 && proposal.approvedBy !== undefined);
    if (isLast || isAlone) break;
    group.push(entry);
    own.taken += 1;
    if (key !== undefined) keys.add(key);
    if (proposal.approvedBy !== undefined) break;
  }
  return group;
}

function keyOf({ proposal: { update } }: Queued): string | undefined {
  const { sourceAgentId, idempotencyKey } = update;
  return idempotencyKey === undefined ? undefined : JSON.stringify([sourceAgentId, idempotencyKey]);
}
