import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from './listening.ts';

/** A TCP proxy whose connections a test can break. */
export interface BreakableProxy {
  url: string;
  /** Where it leads, all connections or each; absent, connections are refused. */
  target: string | (() => string) | undefined;
  /** What becomes of what the target says: passed on, kept back in silence, or the connection is cut. */
  answers: 'pass' | 'hold' | 'cut';
  /** The number of bytes of answers after which a new connection is cut. */
  budget: () => number;
  /** The milliseconds by which what a target says comes late, asked for each piece of it. */
  lag: () => number;
  /** Connections made, and connections cut. */
  made: number;
  cuts: number;
  /** Cuts every connection that there is. */
  cut(): void;
  close(): Promise<void>;
}

export async function startProxy(): Promise<BreakableProxy> {
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((caller) => {
    proxy.made += 1;
    if (proxy.target === undefined) {
      caller.destroy();
      return;
    }
    const url = typeof proxy.target === 'string' ? proxy.target : proxy.target();
    const target = connect(Number(new URL(url).port), '127.0.0.1');
    const pair: [Socket, Socket] = [caller, target];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      caller.destroy();
      target.destroy();
    };
    let left = proxy.budget();
    caller.on('error', end).on('close', end).pipe(target);
    target.on('error', end).on('close', end);
    target.on('data', async (chunk: Buffer) => {
      if (proxy.answers === 'hold') return;
      const fits = proxy.answers === 'cut' ? Buffer.alloc(0) : chunk.subarray(0, left);
      left -= chunk.length;
      const lateMs = proxy.lag();
      if (lateMs > 0) {
        target.pause();
        await sleep(lateMs);
        target.resume();
      }
      if (caller.destroyed) return;
      caller.write(fits, () => {
        if (fits.length === chunk.length) return;
        proxy.cuts += 1;
        end();
      });
    });
  });
  const { url, close } = await listening(server);
  const proxy: BreakableProxy = {
    url,
    target: undefined,
    answers: 'pass',
    budget: () => Number.POSITIVE_INFINITY,
    lag: () => 0,
    made: 0,
    cuts: 0,
    cut() {
      for (const pair of pairs) {
        proxy.cuts += 1;
        for (const socket of pair) socket.destroy();
      }
    },
    async close() {
      proxy.cut();
      await close();
    },
  };
  return proxy;
}
