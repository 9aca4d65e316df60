import { ConcordError, ErrorCode } from '../errors.ts';
import type { Principal } from '../security/principal.ts';

/** Under which `ServerCallContext.state` holds the Place of the execution that the call begins. */
export const placeKey = 'concord.place';

/** A place taken. */
export interface Place {
  /** True once something other than the request keeps it. */
  held: boolean;
  /** Gives it back; a second time does nothing. */
  leave(): void;
}

export interface PlacesOptions {
  /** What they are for, in the plural: `tasks`, `streams`. */
  what: string;
  perAgent: number;
  inAll: number;
}

/** Counts what goes on at the same time, of each agent of a tenant and in all, in this process. */
export class Places {
  private readonly options: PlacesOptions;
  private readonly taken = new Map<string, number>();
  private all = 0;

  constructor(options: PlacesOptions) {
    this.options = options;
  }

  /** @throws ConcordError -32600 `too-many-tasks` or `too-many-streams`, retryable */
  enter({ tenant, agentId }: Principal): Place {
    const { what, perAgent, inAll } = this.options;
    const key = JSON.stringify([tenant, agentId ?? null]);
    const own = this.taken.get(key) ?? 0;
    if (own >= perAgent) throw tooMany(what, `The agent has ${own} ${what} under way`, perAgent);
    if (this.all >= inAll) throw tooMany(what, `There are ${this.all} ${what} under way`, inAll);
    this.taken.set(key, own + 1);
    this.all += 1;
    let left = false;
    return {
      held: false,
      leave: () => {
        if (left) return;
        left = true;
        this.all -= 1;
        const others = (this.taken.get(key) ?? 1) - 1;
        if (others === 0) this.taken.delete(key);
        else this.taken.set(key, others);
      },
    };
  }
}

function tooMany(what: string, found: string, limit: number): ConcordError {
  return new ConcordError(
    ErrorCode.InvalidRequest,
    `${found}, and the limit is ${limit}; send the request again later`,
    {
      reason: `too-many-${what}`,
      limit,
      retryable: true,
    },
  );
}
