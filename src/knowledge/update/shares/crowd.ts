import { LRUCache } from 'lru-cache';

/** Who hasn't proposed anything for so long isn't there. */
const presentMs = 2_000;

interface Seen {
  agent: string;
  at: number;
}

/** Which tenants more than one agent proposes in at present. */
export class Crowd {
  /** Of each tenant the agent that came last, and the last that was another. */
  private readonly seen = new LRUCache<string, { last: Seen; other?: Seen }>({ max: 1_000 });

  /** @param now milliseconds of a clock that doesn't jump */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Takes that an agent proposes something. */
  note(tenant: string, agent: string): void {
    const known = this.seen.get(tenant);
    const last = { agent, at: this.now() };
    const other = known?.last.agent === agent ? known.other : known?.last;
    this.seen.set(tenant, { last, ...(other && { other }) });
  }

  /** Whether others than an agent have proposed something in the last two seconds. */
  isCrowded(tenant: string, agent: string): boolean {
    const { last, other } = this.seen.get(tenant) ?? {};
    const another = last?.agent === agent ? other : last;
    return another !== undefined && this.now() - another.at < presentMs;
  }
}
