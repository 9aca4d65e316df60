import neo4j, { Neo4jError } from 'neo4j-driver';

/** Codes of a connection that was lost or can't be had. */
const lost = /^(ServiceUnavailable|SessionExpired)$/;

/** Codes of a Neo4j that answers while its database is starting still. */
const starting = /^Neo\.TransientError\.\w+\.DatabaseUnavailable$/;

/** Codes of a database that is down though Neo4j answers: after a full disk until Neo4j is started anew. */
const isDown = /^Neo\.DatabaseError\.Transaction\./;

/** Codes of who isn't let in, as against who isn't let do something. */
const refusesConcord = /^Neo\.ClientError\.Security\.(Unauthorized|CredentialsExpired|AuthenticationRateLimit)$/;

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

/**
 * What the driver doesn't count as worth a retry: a transaction ended from outside, no free connection in time, a
 * database that is down, and a password that has been changed and not told to Concord yet.
 */
function isCutOff(error: Error): boolean {
  return (
    error instanceof Neo4jError &&
    (error.code === 'Neo.ClientError.Transaction.Terminated' ||
      isDown.test(error.code) ||
      refusesConcord.test(error.code) ||
      isLost(error))
  );
}

/**
 * Whether Neo4j has stopped something at its time. What a caller asks for is told as a limit where it is read; what is
 * still one of these was asked by Concord itself, is small, and took so long because Neo4j is busy.
 */
export function comesOfTimeout(error: unknown): boolean {
  return error instanceof Error && (isTimedOut(error) || comesOfTimeout(error.cause));
}

/** Whether an error is Neo4j's own that it has stopped a transaction at its time. */
export function isTimedOut(error: unknown): boolean {
  return error instanceof Neo4jError && error.code.startsWith('Neo.ClientError.Transaction.TransactionTimedOut');
}

/** Whether something of Concord's own could not be done because Neo4j is away, or has much to do. */
export const isAwayOrBusy = (error: unknown) => isUnavailable(error) || comesOfTimeout(error);

/** Whether Neo4j is away or busy, so that the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (neo4j.isRetryableError(cause) || isCutOff(cause)) return true;
    if ('originalError' in cause && cause.originalError !== cause && isUnavailable(cause.originalError)) return true;
  }
  return false;
}
