import type { Config } from '../config/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Address } from './address.ts';
import { openDoors, type ServiceParts } from './doors.ts';
import { type Foundation, layFoundation } from './foundation.ts';
import { readIdentity } from './identity.ts';
import { openReading } from './reading.ts';
import { openStorage } from './storage.ts';
import { openTasks } from './tasks.ts';
import { openWriting } from './writing.ts';

/** A running Concord. */
export interface Service {
  /** Where it listens. */
  url: string;
  /** Where it listens for gRPC, as `host:port`; absent where GRPC_PORT isn't set. */
  grpc?: string;
  neo4j: { uri: string; user: string; password: string; browserUrl?: string };
  logger: Logger;
  /** Drains, stops and closes everything that was started, in reverse order. */
  close(): Promise<void>;
}

/**
 * Builds every part from the configuration, in order. What was started is closed again if a later part fails.
 * @param report told in words what takes a while
 * @throws StartupError
 */
export async function startService(
  config: Config,
  report: (line: string) => void = () => {},
  parts: ServiceParts = {},
): Promise<Service> {
  const foundation = layFoundation(config, report);
  try {
    return await build(foundation, parts);
  } catch (error) {
    await foundation.closing.close();
    throw error;
  }
}

async function build(foundation: Foundation, parts: ServiceParts): Promise<Service> {
  const { config, logger, closing } = foundation;
  const identity = await readIdentity(foundation);
  const storage = await openStorage(foundation);
  const reading = await openReading(foundation, identity, storage);
  const address = new Address(config.PUBLIC_URL);
  const tasks = openTasks(foundation, identity, storage, address);
  const writing = openWriting(foundation, storage, reading, tasks);
  const doors = await openDoors({ foundation, identity, storage, reading, tasks, writing, address }, parts);
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
