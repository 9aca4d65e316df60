import { LRUCache } from 'lru-cache';

/** So many of an agent's last 32 proposals that broke rules make it an offender. */
const mostViolations = 4;

/**
 * Which agents' proposals have often broken rules of late: a group in which one does is committed in parts, for which
 * those pay who are in it. Whoever has broken none lately isn't kept.
 */
export class Offenders {
  /** A bit for each of an agent's last 32 proposals, the newest the lowest. */
  private readonly histories = new LRUCache<string, number>({ max: 10_000 });

  /** Takes what the rules have said to a proposal of an agent. */
  note(agent: string, isViolating: boolean): void {
    const before = this.histories.get(agent) ?? 0;
    const history = ((before << 1) | Number(isViolating)) >>> 0;
    if (history === 0) this.histories.delete(agent);
    else this.histories.set(agent, history);
  }

  has(agent: string): boolean {
    return ones(this.histories.get(agent) ?? 0) >= mostViolations;
  }
}

function ones(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
