import { createServer } from 'node:net';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';

export interface Ports {
  bolt: number;
  http: number;
}

/**
 * The ports for a Neo4j on loopback: those that are set; else Neo4j's usual ones where they are free; else any.
 * @throws StartupError when a port that is set is taken.
 */
export async function choosePorts(config: Config): Promise<Ports> {
  const bolt = await choosePort('NEO4J_BOLT_PORT', config.NEO4J_BOLT_PORT, 7687);
  const http = await choosePort('NEO4J_HTTP_PORT', config.NEO4J_HTTP_PORT, 7474, bolt);
  return { bolt, http };
}

async function choosePort(setting: string, wanted: number | undefined, usual: number, not?: number): Promise<number> {
  if (wanted) {
    if (wanted !== not && (await tryPort(wanted))) return wanted;
    throw new StartupError(`Port ${wanted} is taken. Set ${setting} to a free port, or to 0 for any.`);
  }
  if (wanted === undefined && usual !== not && (await tryPort(usual))) return usual;
  const any = (await tryPort(0)) ?? 0;
  const another = any === not ? await tryPort(0) : any;
  if (another) return another;
  throw new StartupError(`No port can be opened on 127.0.0.1 for Neo4j. Set ${setting}, or set NEO4J_URI.`);
}

/** Opens and closes a port of loopback, 0 meaning any, and gives its number; undefined when it cannot be had. */
export function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
