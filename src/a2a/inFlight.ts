import type { ServerResponse } from 'node:http';
import { CallerGone } from '../knowledge/streamEnd.ts';

type Phase = { phase: 'serving' } | { phase: 'draining'; done: Promise<void> };

interface Entry {
  controller: AbortController;
  streaming: boolean;
  /** Makes the error that a shutdown ends it with: few requests ever need one. */
  farewell: () => Error;
  closed: Promise<void>;
}

/** The requests under way, each with the signal that ends it when the caller goes away or the service drains. */
export class InFlight {
  private readonly entries = new Set<Entry>();
  private phase: Phase = { phase: 'serving' };

  get draining(): boolean {
    return this.phase.phase === 'draining';
  }

  /** Takes a request in, until its response is closed; `abort` ends it for another reason. */
  open(
    response: ServerResponse,
    streaming: boolean,
    farewell: () => Error,
  ): { signal: AbortSignal; abort(reason: Error): void } {
    const controller = new AbortController();
    const taken = { signal: controller.signal, abort: (reason: Error) => controller.abort(reason) };
    if (response.destroyed) {
      controller.abort(new CallerGone());
      return taken;
    }
    const closed = new Promise<void>((resolve) => {
      response.once('close', () => {
        this.entries.delete(entry);
        if (!response.writableFinished) controller.abort(new CallerGone());
        resolve();
      });
    });
    const entry = { controller, streaming, farewell, closed };
    this.entries.add(entry);
    return taken;
  }

  /** Ends the streams, waits at most `patienceMs` for everything under way, and aborts what is left. */
  drain(patienceMs: number): Promise<void> {
    if (this.phase.phase === 'serving') this.phase = { phase: 'draining', done: this.end(patienceMs) };
    return this.phase.done;
  }

  private async end(patienceMs: number): Promise<void> {
    for (const { streaming, controller, farewell } of this.entries)
      if (streaming) controller.abort(farewell());
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([patience, Promise.all([...this.entries].map(({ closed }) => closed))]);
    clearTimeout(timer);
    for (const { controller, farewell } of this.entries) controller.abort(farewell());
  }
}
