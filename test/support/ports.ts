import { randomInt } from 'node:crypto';
import { tryPort } from '../../src/neo4jServer/ports.ts';

/**
 * A free port for a server that goes away and comes back. No system gives it to an outgoing connection, as it does with
 * the port that port 0 comes to: one that is tried again and again while its server is away can even be connected to
 * itself, and then the server finds its port taken.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = await tryPort(randomInt(15_000, 32_000));
    if (port !== undefined) return port;
  }
}
