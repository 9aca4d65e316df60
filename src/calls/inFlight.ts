import type { ServerResponse } from 'node:http';
import { deferred } from '../base/deferred.ts';
import { endsWithin } from '../base/endsWithin.ts';
import { CallerGone, requestDraining, streamDraining } from './streamEnd.ts';

interface Entry {
  controller: AbortController;
  streaming: boolean;
  closed: Promise<void>;
}

/** A request that was taken in. */
export interface Taken {
  /** Aborted when the caller goes away, the service drains, or by `abort`. */
  signal: AbortSignal;
  abort(reason: Error): void;
  /** Makes a stream of it, which a shutdown doesn't wait for. */
  stream(): void;
  /** Settles when it is over. */
  closed: Promise<void>;
}

/** The requests under way, each with the signal that ends it when the caller goes away or the service drains. */
export class InFlight {
  private readonly entries = new Set<Entry>();
  /** Settles when all is over; absent while it serves. */
  private drained: Promise<void> | undefined;

  get draining(): boolean {
    return this.drained !== undefined;
  }

  /** Takes a request in, until its response is closed; `abort` ends it for another reason. */
  open(response: ServerResponse): Taken {
    const { leave, ...taken } = this.enter();
    if (response.destroyed) leave({ answered: false });
    else response.once('close', () => leave({ answered: response.writableFinished }));
    return taken;
  }

  /** Takes a request in until `leave` is called, which tells whether the caller has its answer. */
  enter(): Taken & { leave(how: { answered: boolean }): void } {
    const controller = new AbortController();
    const { promise: closed, resolve } = deferred();
    const entry: Entry = { controller, streaming: false, closed };
    this.entries.add(entry);
    return {
      signal: controller.signal,
      abort: (reason) => controller.abort(reason),
      stream: () => {
        entry.streaming = true;
        if (this.draining) sayFarewell(entry);
      },
      closed,
      leave: ({ answered }) => {
        this.entries.delete(entry);
        if (!answered) controller.abort(new CallerGone());
        resolve();
      },
    };
  }

  /** Ends the streams, waits at most `patienceMs` for everything under way, and aborts what is left. */
  drain(patienceMs: number): Promise<void> {
    this.drained ??= this.end(patienceMs);
    return this.drained;
  }

  private async end(patienceMs: number): Promise<void> {
    for (const entry of this.entries) if (entry.streaming) sayFarewell(entry);
    await endsWithin(Promise.all([...this.entries].map(({ closed }) => closed)), patienceMs);
    for (const entry of this.entries) sayFarewell(entry);
  }
}

function sayFarewell({ controller, streaming }: Entry): void {
  controller.abort(streaming ? streamDraining() : requestDraining());
}
