import { z } from 'zod';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { LimitExceeded } from '../../base/limitExceeded.ts';
import { refuse } from '../../base/reasons.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { text } from '../../knowledge/patch.ts';
import type { Skill } from '../../skills/skill.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { SelectLimits } from '../source.ts';
import type { Sources } from '../sources.ts';
import { faultOfSql, longestSql } from '../sql/checkSql.ts';
import { sourceFailed, sourceOf } from './sourceOf.ts';

export interface QuerySourceParts {
  sources: Sources;
  logger: Logger;
  /** Milliseconds of a statement. */
  timeoutMs: number;
}

const params = z.strictObject({
  source: text(64).min(1, 'is empty'),
  sql: text(longestSql).min(1, 'is empty'),
  first: z.int().min(1).max(1_000).default(100),
});

/** Of an answer, so that it fits into a task. */
const mostBytes = 2 * 1024 * 1024;

/** What PostgreSQL ends a statement by that takes too long. */
const tookTooLong = '57014';
/** Classes of errors that are the statement's own: they tell nothing of the server. */
const ownFault = /^(22|42)/;

/**
 * `query-source`: the answer of one SQL statement that only reads. It is looked at by PostgreSQL's grammar, and run in a
 * transaction that only reads.
 */
export function querySourceSkill({ sources, logger, timeoutMs }: QuerySourceParts): Skill {
  return {
    summary: 'Answers one SQL statement that only reads, over a database that is a source',
    readsOnly: true,
    example: { skill: 'query-source', source: 'shop', sql: 'SELECT count(*) FROM sales.orders' },
    parameters: params,
    textField: 'sql',
    async run(input, call) {
      requireScope(call, 'knowledge:query', ErrorCode.KnowledgeQuery);
      const { source: name, sql, first } = parseParams(params, input);
      const source = sourceOf(sources, call.principal, name);
      if (!source.select) throw refuse('source-without-sql', `The source '${name}' takes no SQL`);
      const fault = await faultOfSql(sql);
      if (fault !== undefined) throw refuse('sql-refused', `The SQL ${fault}`);
      const limits: SelectLimits = { rows: first, bytes: mostBytes, timeoutMs, signal: call.signal };
      const { truncated, ...table } = await source.select(sql, limits).catch((error: unknown) => {
        throw faultOf(name, error, { timeoutMs, isStopped: call.signal.aborted, logger });
      });
      const data = { source: name, dialect: source.dialect, sql, table: { ...table, truncated } };
      const more = truncated ? '; there are more' : '';
      return {
        state: 'completed',
        artifacts: [{ name: 'result', description: 'The statement, and the rows of its answer', data }],
        text: `Rows: ${table.rows.length}${more}`,
      };
    },
  };
}

function faultOf(
  name: string,
  error: unknown,
  { timeoutMs, isStopped, logger }: { timeoutMs: number; isStopped: boolean; logger: Logger },
): unknown {
  if (error instanceof ConcordError || isStopped) return error;
  const { code, message } = error as { code?: unknown; message?: string };
  if (code === tookTooLong)
    return new LimitExceeded('timeout', `The statement took longer than ${timeoutMs} ms`, { limit: timeoutMs });
  if (typeof code === 'string' && code.length === 5 && ownFault.test(code) && code !== '42501')
    return refuse('sql-refused', `The SQL fails: ${message?.slice(0, 300)}`, { databaseCode: code });
  return sourceFailed(name, error, logger);
}
