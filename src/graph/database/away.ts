import { Neo4jError } from 'neo4j-driver';

/** Codes of a connection that was lost or can't be had. */
const lost = /^(ServiceUnavailable|SessionExpired)$/;

/** Codes of a Neo4j that answers while its database is starting still. */
const starting = /^Neo\.TransientError\.\w+\.DatabaseUnavailable$/;

/** Whether an error may come of a Neo4j that is away, and not of what it was asked. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Neo4jError)) return false;
  return lost.test(error.code) || error.message.startsWith('Connection acquisition timed out');
}

/** Whether an error says that it is too early to ask. */
export function isStarting(error: unknown): boolean {
  return error instanceof Neo4jError && starting.test(error.code);
}

/** Of the driver's kind, so that whoever knows a lost connection knows this too; its class can't be extended. */
export function neo4jAway(why: string): Neo4jError {
  const error = new Neo4jError(why, 'ServiceUnavailable', '50N42', why);
  // Where it was made says nothing, and it is made thousands of times.
  error.stack = `Neo4jAway: ${why}`;
  return error;
}
