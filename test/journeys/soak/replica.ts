import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnService } from '../crash/ownService.ts';
import type { Sample } from './level.ts';

/** A replica whose clock can jump, and which tells what it holds. */
export interface SoakReplica {
  service: OwnService;
  /** The file that says how many milliseconds its clock is ahead. */
  clock: string;
  /** What it held in the longest of its lives. */
  lastLife(): Sample[];
}

const preloaded = new URL('inReplica.mjs', import.meta.url).href;

/**
 * Starts one.
 * @param folder of its own, for what it is told and tells
 * @param everyMs between two samples
 */
export async function startReplica(
  folder: string,
  environment: Record<string, string>,
  everyMs: number,
): Promise<SoakReplica> {
  mkdirSync(folder);
  const [clock, samples] = [join(folder, 'clock'), join(folder, 'samples')];
  writeFileSync(clock, '0');
  const service = await OwnService.start({
    ...{ API_KEYS: 'true', TENANTS: 'north,south', PUSH_ALLOW: '127.0.0.1', AGENT_ALLOW: '127.0.0.1' },
    ...{ AUDIT: 'writes', HEARTBEAT_MS: '2000', QUERY_TIMEOUT_MS: '60000' },
    ...environment,
    ...{ NODE_OPTIONS: `--import=${preloaded}`, SOAK_CLOCK: clock, SOAK_SAMPLES: samples },
    SOAK_EVERY_MS: String(everyMs),
  });
  return {
    service,
    clock,
    lastLife() {
      const lives = new Map<number, Sample[]>();
      const lines = existsSync(samples) ? readFileSync(samples, 'utf8').trim().split('\n') : [];
      for (const each of lines.map((line) => JSON.parse(line) as Sample))
        lives.set(each.pid, [...(lives.get(each.pid) ?? []), each]);
      return [...lives.values()].sort((one, other) => other.length - one.length)[0] ?? [];
    },
  };
}

/** The states of TCP in which a connection is held: established, and waiting for this end to close it. */
const held = new Set(['01', '08']);

/** Connections of callers that a port holds open, as Linux knows them. */
export function openOn(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = ['tcp', 'tcp6'].flatMap((kind) => readFileSync(`/proc/net/${kind}`, 'utf8').split('\n').slice(1));
  return lines.filter((line) => {
    const [, from = '', , state = ''] = line.trim().split(/\s+/);
    return from.endsWith(local) && held.has(state);
  }).length;
}
