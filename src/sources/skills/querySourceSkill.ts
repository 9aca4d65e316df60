import { z } from 'zod';
import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { LimitExceeded } from '../../base/limitExceeded.ts';
import { refuse } from '../../base/reasons.ts';
import type { UnaryMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { optional, text } from '../../knowledge/patch.ts';
import type { UpdateResult } from '../../knowledge/update/propose.ts';
import { outcomeOf } from '../../skills/proposeSkill.ts';
import type { Skill, SkillCall, SkillOutcome } from '../../skills/skill.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { plainText } from '../plainText.ts';
import type { Selected, SelectLimits } from '../source.ts';
import type { Sources } from '../sources.ts';
import { answerPatches, mapping } from '../sql/answerPatches.ts';
import { faultOfSql, longestSql } from '../sql/checkSql.ts';
import { sourceGraph } from '../terms.ts';
import { sourceFailed, sourceOf } from './sourceOf.ts';

export interface QuerySourceParts {
  sources: Sources;
  /** `knowledge/update` */
  update: UnaryMethod<UpdateResult>;
  logger: Logger;
  /** Milliseconds of a statement. */
  timeoutMs: number;
  now(): number;
}

const shape = z.strictObject({
  source: text(64).min(1, 'is empty'),
  sql: text(longestSql).min(1, 'is empty'),
  first: z.int().min(1).max(1_000).default(100),
  // biome-ignore lint/suspicious/noThenProperty: what callers know it by; it is no function
  then: optional(z.enum(['propose'])),
  mapping: optional(mapping),
});
const isWhole = ({ then, mapping: said }: z.output<typeof shape>) => (then === undefined) === (said === undefined);
const params = shape.refine(isWhole, { path: ['mapping'], error: "is there with 'then': 'propose', and only with it" });
type Asked = z.output<typeof params>;

/** Of an answer, so that it fits into a task. */
const mostBytes = 2 * 1024 * 1024;

/** What PostgreSQL ends a statement by that takes too long. */
const tookTooLong = '57014';
/** Classes of errors that are the statement's own: they tell nothing of the server. */
const ownFault = /^(22|42)/;

/**
 * `query-source`: the answer of one SQL statement that only reads. It is looked at by PostgreSQL's grammar, and run in a
 * transaction that only reads. `then: propose` has its rows proposed as statements, by a mapping of its columns.
 */
export function querySourceSkill({ sources, update, logger, timeoutMs, now }: QuerySourceParts): Skill {
  return {
    summary: 'Answers one SQL statement that only reads, over a database that is a source',
    example: { skill: 'query-source', source: 'shop', sql: 'SELECT count(*) FROM sales.orders' },
    parameters: params,
    textField: 'sql',
    async run(input, call) {
      requireScope(call, 'knowledge:query', ErrorCode.KnowledgeQuery);
      const asked = parseParams(params, input);
      const { source: name, sql, then } = asked;
      if (then) requireScope(call, 'knowledge:update', ErrorCode.KnowledgeUpdate);
      const source = sourceOf(sources, call.principal, name);
      if (!source.select) throw refuse('source-without-sql', `The source '${name}' takes no SQL`);
      const fault = await faultOfSql(sql);
      if (fault !== undefined) throw refuse('sql-refused', `The SQL ${fault}`);
      const limits: SelectLimits = { rows: asked.first, bytes: mostBytes, timeoutMs, signal: call.signal };
      const table = await source.select(sql, limits).catch((error: unknown) => {
        throw faultOf(name, error, { timeoutMs, isStopped: call.signal.aborted, logger });
      });
      const data = { source: name, dialect: source.dialect, sql, table };
      const result = { name: 'result', description: 'The statement, and the rows of its answer', data };
      const text = `Rows: ${table.rows.length}${table.truncated ? '; there are more' : ''}`;
      const proposed = await proposedOf(asked, table, { update, now }, call);
      if (!proposed) return { state: 'completed', artifacts: [result], text };
      return { ...proposed, artifacts: [result, ...proposed.artifacts], text: `${text}\n${proposed.text}` };
    },
  };
}

/** Characters of the statement that its provenance tells. */
const toldSql = 4_000;

/** Proposes the rows as the caller's own. @returns undefined where they are not to be, or there is nothing in them */
async function proposedOf(
  { source, sql, mapping }: Asked,
  table: Selected,
  { update, now }: Pick<QuerySourceParts, 'update' | 'now'>,
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
  { timeoutMs, isStopped, logger }: { timeoutMs: number; isStopped: boolean; logger: Logger },
): unknown {
  if (error instanceof ConcordError || isStopped) return error;
  const { code, message } = error as { code?: unknown; message?: string };
  if (code === tookTooLong)
    return new LimitExceeded('timeout', `The statement took longer than ${timeoutMs} ms`, { limit: timeoutMs });
  if (typeof code === 'string' && code.length === 5 && ownFault.test(code) && code !== '42501')
    return refuse('sql-refused', `The SQL fails: ${plainText(message ?? '', 300)}`, { databaseCode: code });
  return sourceFailed(name, error, logger);
}
