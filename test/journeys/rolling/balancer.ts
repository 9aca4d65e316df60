import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from '../../client/listening.ts';
import type { Replica } from './replica.ts';

/** How fast a balancer hears of a replica. */
export interface Probing {
  periodMs: number;
  /** So many failures in a row make a replica unready; one success makes it ready. */
  failures: number;
  /** Until the endpoints follow. */
  delayMs: number;
}

/**
 * A Service of Kubernetes over TCP: each new connection goes to the next of the replicas whose probe has succeeded, and
 * stays there.
 */
export class Balancer {
  readonly url: string;
  /** Connections that found no replica: the machine was too slow for the probes. */
  turnedAway = 0;
  private readonly stop: () => Promise<void>;
  private readonly endpoints: Set<string>;

  private constructor(url: string, endpoints: Set<string>, stop: () => Promise<void>) {
    this.url = url;
    this.endpoints = endpoints;
    this.stop = stop;
  }

  static async start(): Promise<Balancer> {
    const endpoints = new Set<string>();
    const sockets = new Set<Socket>();
    let turn = 0;
    const server = createServer((caller) => {
      const known = [...endpoints];
      turn += 1;
      const chosen = known[turn % Math.max(1, known.length)];
      if (chosen === undefined) {
        balancer.turnedAway += 1;
        return caller.destroy();
      }
      const replica = connect(Number(new URL(chosen).port), '127.0.0.1');
      for (const [one, other] of [
        [caller, replica],
        [replica, caller],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy()).on('close', () => sockets.delete(one));
        one.pipe(other);
      }
    });
    const { url, close } = await listening(server);
    const balancer = new Balancer(url, endpoints, async () => {
      for (const socket of sockets) socket.destroy();
      await close();
    });
    return balancer;
  }

  /** Watches a replica until the signal aborts. */
  async watch(replica: Replica, { periodMs, failures, delayMs }: Probing, signal: AbortSignal): Promise<void> {
    let failed = failures;
    while (!signal.aborted) {
      failed = (await replica.isReady()) ? 0 : failed + 1;
      if (failed === 0 || failed === failures) {
        const isReady = failed === 0;
        setTimeout(() => this.endpoints[isReady ? 'add' : 'delete'](replica.url), delayMs);
      }
      await sleep(periodMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Settles once so many replicas get connections. */
  async until(endpoints: number): Promise<void> {
    for (const end = Date.now() + 60_000; this.endpoints.size !== endpoints; await sleep(20)) {
      if (Date.now() > end) throw new Error(`There are ${this.endpoints.size} endpoints and not ${endpoints}`);
    }
  }

  close(): Promise<void> {
    return this.stop();
  }
}
