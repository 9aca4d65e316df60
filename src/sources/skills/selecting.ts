import { ConcordError } from '../../base/errors.ts';
import { LimitExceeded } from '../../base/limitExceeded.ts';
import { refuse } from '../../base/reasons.ts';
import type { UnaryMethod } from '../../calls/call.ts';
import type { UpdateResult } from '../../knowledge/update/propose.ts';
import { outcomeOf } from '../../skills/proposeSkill.ts';
import type { SkillCall, SkillOutcome } from '../../skills/skill.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Selected, Source } from '../adapters/source.ts';
import { plainText } from '../plainText.ts';
import { answerPatches, type Mapping } from '../sql/answerPatches.ts';
import { faultOfCypher } from '../sql/checkCypher.ts';
import { faultOfMysql } from '../sql/checkMysql.ts';
import { faultOfSql, longestSql } from '../sql/checkSql.ts';
import { sourceGraph } from '../terms.ts';
import { sourceFailed } from './sourceOf.ts';

/** Of an answer, so that it fits into a task. */
const mostBytes = 2 * 1024 * 1024;

/** What a statement ends by that takes too long: PostgreSQL's, MariaDB's, MySQL's, Neo4j's. */
const tookTooLong = new Set<unknown>([
  ...['57014', 1969, 3024, 'Neo.ClientError.Transaction.TransactionTimedOut'],
  'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration',
]);
/** Classes of errors that are the statement's own: they tell nothing of the server. */
const ownFault = /^(22|42)/;
const ownCypherFault = /^Neo\.ClientError\.Statement\./;
/** Of these, what the user of the source may not do: it tells who that is. PostgreSQL's, and MySQL's of the class 42. */
const notAllowed = new Set<unknown>(['42501', 1044, 1045, 1142, 1143, 1227, 1370]);

/** What a driver says of an error: `code` is the SQLSTATE of PostgreSQL, and a name of MySQL. */
interface DatabaseError {
  code?: unknown;
  errno?: unknown;
  sqlState?: unknown;
  message?: string;
}

/** Looks at a statement in the language of its source. */
type FaultOf = (
  text: string,
  most: number,
  takesParameters: boolean,
) => string | undefined | Promise<string | undefined>;
const faultsOf: Record<Source['dialect'], FaultOf> = {
  postgresql: faultOfSql,
  mysql: faultOfMysql,
  cypher: faultOfCypher,
};

const languageOf = ({ dialect }: Source) => (dialect === 'cypher' ? 'Cypher' : 'SQL');

export interface Asking {
  /** The name of the source. */
  name: string;
  source: Source;
  sql: string;
  /** Of its parameters. */
  values?: (string | number | boolean)[];
  /** Rows, at most. */
  first: number;
  /** Characters of the statement; absent: as many as strangers may send. */
  longest?: number;
}

/**
 * Looks at a statement, and runs it where it only reads.
 * @throws ConcordError `sql-refused`, `source-failed`; LimitExceeded
 */
export async function selectOf(
  { name, source, sql, values = [], first, longest }: Asking,
  { timeoutMs, logger }: { timeoutMs: number; logger: Logger },
  { signal }: Pick<SkillCall, 'signal'>,
): Promise<Selected> {
  const fault = await faultsOf[source.dialect](sql, longest ?? longestSql, values.length > 0);
  if (fault !== undefined) throw refuse('sql-refused', `The ${languageOf(source)} ${fault}`);
  return source
    .select({ sql, values }, { rows: first, bytes: mostBytes, timeoutMs, signal })
    .catch((error: unknown) => {
      throw faultOf(name, error, { source, timeoutMs, isStopped: signal.aborted, logger });
    });
}

/** Characters of the statement that its provenance tells. */
const toldSql = 4_000;

/** Proposes the rows as the caller's own. @returns undefined where they are not to be, or there is nothing in them */
export async function proposedOf(
  { source, sql, mapping }: { source: string; sql: string; mapping?: Mapping | undefined },
  table: Selected,
  { update, now }: { update: UnaryMethod<UpdateResult>; now(): number },
  call: SkillCall,
): Promise<SkillOutcome | undefined> {
  if (!mapping) return undefined;
  const timestamp = new Date(now()).toISOString();
  const provenance = { source: sourceGraph(source), sql: plainText(sql, toldSql), timestamp };
  const { mutations, leftOut } = answerPatches(table, mapping, provenance);
  if (mutations.length === 0) return undefined;
  const justification = `Rows of the source ${source}`;
  const outcome = outcomeOf(await update({ mutations, justification, taskId: call.taskId }, call));
  const unnamed = leftOut > 0 ? `\nRows without a subject, which were left out: ${leftOut}` : '';
  return { ...outcome, text: outcome.text + unnamed };
}

function faultOf(
  name: string,
  error: unknown,
  { source, timeoutMs, isStopped, logger }: { source: Source; timeoutMs: number; isStopped: boolean; logger: Logger },
): unknown {
  if (error instanceof ConcordError || isStopped) return error;
  const { code, errno, sqlState, message } = error as DatabaseError;
  if (tookTooLong.has(code) || tookTooLong.has(errno))
    return new LimitExceeded('timeout', `The statement took longer than ${timeoutMs} ms`, { limit: timeoutMs });
  const state = sqlState ?? code;
  const isOwn = typeof state === 'string' && (state.length === 5 ? ownFault : ownCypherFault).test(state);
  if (isOwn && !notAllowed.has(code) && !notAllowed.has(errno))
    return refuse('sql-refused', `The ${languageOf(source)} fails: ${plainText(message ?? '', 300)}`, {
      databaseCode: code,
    });
  return sourceFailed(name, error, logger);
}
