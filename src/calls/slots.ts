import { ConcordError, ErrorCode } from '../base/errors.ts';
import type { Principal } from '../security/principal.ts';
import { UnderWay } from './underWay.ts';

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
  private readonly taken = new UnderWay();

  constructor(options: PlacesOptions) {
    this.options = options;
  }

  /** @throws ConcordError -32600 `too-many-tasks` or `too-many-streams`, retryable */
  enter(principal: Principal): Place {
    const { what, perAgent, inAll } = this.options;
    const own = this.taken.of(principal);
    const { all } = this.taken;
    if (own >= perAgent) throw tooMany(what, `The agent has ${own} ${what} under way`, perAgent);
    if (all >= inAll) throw tooMany(what, `There are ${all} ${what} under way`, inAll);
    return { held: false, leave: this.taken.enter(principal) };
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
