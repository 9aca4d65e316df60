import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import type { Principal } from '../security/principal.ts';

/** A slot taken. */
export interface Slot {
  /** True once something other than the request keeps it. */
  held: boolean;
  /** Gives it back; a second time does nothing. */
  leave(): void;
}

export interface SlotsOptions {
  /** What they are for. */
  what: 'tasks' | 'streams' | 'sockets' | 'subscriptions' | 'live-queries';
  perAgent: number;
  inAll: number;
}

/** Counts what goes on at the same time, of each agent of a tenant and in all, in this process. */
export class Slots {
  private readonly taken = new UnderWay();

  constructor(private readonly options: SlotsOptions) {}

  /** @throws ConcordError `too-many-` and what they are for, retryable */
  enter(principal: Principal): Slot {
    const { what, perAgent, inAll } = this.options;
    const own = this.taken.of(principal);
    const { all } = this.taken;
    if (own >= perAgent) throw tooMany(what, `The agent has ${own} ${what} under way`, perAgent);
    if (all >= inAll) throw tooMany(what, `There are ${all} ${what} under way`, inAll);
    return { held: false, leave: this.taken.enter(principal) };
  }
}

function tooMany(what: SlotsOptions['what'], found: string, limit: number): ConcordError {
  return refuse(`too-many-${what}`, `${found}, and the limit is ${limit}; send the request again later`, {
    limit,
  });
}

/** Counts what agents have under way at the same time, in this process. */
export class UnderWay {
  private readonly byAgent = new Map<string, number>();
  private total = 0;

  /** Of all agents. */
  get all(): number {
    return this.total;
  }

  /** Of one agent of a tenant. */
  of(principal: Principal): number {
    return this.byAgent.get(keyOf(principal)) ?? 0;
  }

  /** Counts one more. @returns what tells that it has ended; calling it again does nothing */
  enter(principal: Principal): () => void {
    const key = keyOf(principal);
    this.byAgent.set(key, this.of(principal) + 1);
    this.total += 1;
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.total -= 1;
      const left = (this.byAgent.get(key) ?? 1) - 1;
      if (left > 0) this.byAgent.set(key, left);
      else this.byAgent.delete(key);
    };
  }
}

const keyOf = ({ tenant, agentId }: Principal) => JSON.stringify([tenant, agentId ?? null]);
