import { setTimeout as sleep } from 'node:timers/promises';
import { Neo4jError } from 'neo4j-driver';
import { StartupError } from '../base/errors.ts';
import { orAborted } from '../base/orAborted.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Address } from './address.ts';
import type { OpenDoors, ServiceParts } from './doors.ts';
import { type Foundation, layFoundation } from './foundation.ts';
import { readIdentity } from './identity.ts';
import { openStorage } from './storage.ts';

/** How long what doesn't hear the signal is waited for. */
const unheardMs = 3_000;

/** A running Concord. */
export interface Service extends OpenDoors {
  neo4j: { uri: string; user: string; password: string; browserUrl?: string };
  logger: Logger;
  /** Drains, stops and closes everything that was started, in reverse order. */
  close(): Promise<void>;
}

/**
 * Builds every part from the configuration, in order. What was started is closed again if a later part fails.
 * @param report told in words what takes a while
 * @param signal ends the start before its time: what was started is closed, and its reason is thrown
 * @throws StartupError
 */
export async function startService(
  config: Config,
  report: (line: string) => void = () => {},
  parts: ServiceParts = {},
  signal?: AbortSignal,
): Promise<Service> {
  const foundation = layFoundation(config, report, signal);
  const building = build(foundation, parts);
  try {
    return await orAborted(building, signal);
  } catch (error) {
    // What hears the signal ends by itself, the rest when its connections are closed.
    if (signal?.aborted) await Promise.race([building.catch(() => {}), sleep(unheardMs, undefined, { ref: false })]);
    await foundation.closing.close();
    throw explained(error);
  }
}

/** A full disk or a Neo4j that goes away is no fault of Concord's, and wants no stack. */
function explained(error: unknown): unknown {
  if (!(error instanceof Neo4jError)) return error;
  const [why] = error.message.split('\n');
  return new StartupError(`Neo4j failed while Concord started: ${why} (${error.code})`, { cause: error });
}

/** What is built over the graph. It takes a second to load, which goes by while Neo4j starts. */
async function loaded() {
  const parts = [
    import('./agents.ts'),
    import('./doors.ts'),
    import('./reading.ts'),
    import('./subscriptions.ts'),
    import('./tasks.ts'),
    import('./writing.ts'),
  ] as const;
  const [agents, doors, reading, subscriptions, tasks, writing] = await Promise.all(parts);
  return { ...agents, ...doors, ...reading, ...subscriptions, ...tasks, ...writing };
}

async function build(foundation: Foundation, parts: ServiceParts): Promise<Service> {
  const { config, logger, closing } = foundation;
  const identity = await readIdentity(foundation);
  const opening = openStorage(foundation);
  opening.catch(() => {});
  const { openAgents, openDoors, openReading, openSubscriptions, openTasks, openWriting } = await loaded();
  const storage = await opening;
  const address = new Address(config.PUBLIC_URL);
  const agents = openAgents(foundation, identity, storage, address);
  const reading = await openReading(foundation, identity, storage, agents);
  const tasks = openTasks(foundation, identity, storage, address, agents);
  const writing = openWriting(foundation, storage, reading, tasks);
  const subscriptions = openSubscriptions(foundation, identity, storage, reading, address);
  const rooms = { foundation, identity, storage, reading, tasks, writing, subscriptions, agents, address };
  const doors = await openDoors(rooms, parts);
  subscriptions.start();
  agents.start();
  const { neo4j, vocabulary, alignment } = storage;
  const needs = identity.required
    ? 'Callers need credentials'
    : 'No identities are configured: one local principal, loopback only';
  logger.info(
    { ...doors, neo4j: neo4j.kind, classes: vocabulary.classes.length, rules: alignment.rules.length },
    `Concord is ready. ${needs}`,
  );
  return { ...doors, neo4j, logger, close: () => closing.close() };
}
