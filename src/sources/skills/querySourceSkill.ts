import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { UnaryMethod } from '../../calls/call.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { optional, text } from '../../knowledge/patch.ts';
import type { UpdateResult } from '../../knowledge/update/propose.ts';
import type { Skill } from '../../skills/skill.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Sources } from '../sources.ts';
import { mapping } from '../sql/answerPatches.ts';
import { longestSql } from '../sql/checkSql.ts';
import { proposedOf, selectOf } from './selecting.ts';
import { sourceOf } from './sourceOf.ts';

export interface QuerySourceParts {
  sources: Sources;
  /** `knowledge/update` */
  update: UnaryMethod<UpdateResult>;
  logger: Logger;
  /** Milliseconds of a statement. */
  timeoutMs: number;
  now(): number;
}

export const sourceName = text(64).min(1, 'is empty');
/** How many rows are wanted, and what is to become of them; of every question to a source. */
export const answerFields = {
  first: z.int().min(1).max(1_000).default(100),
  // biome-ignore lint/suspicious/noThenProperty: what callers know it by; it is no function
  then: optional(z.enum(['propose'])),
  mapping: optional(mapping),
};
/** Rows are proposed by a mapping, and not otherwise. */
export const isWhole = ({ then, mapping: said }: { then?: unknown; mapping?: unknown }) =>
  (then === undefined) === (said === undefined);
export const notWhole = { path: ['mapping'], error: "is there with 'then': 'propose', and only with it" };

const shape = z.strictObject({ source: sourceName, sql: text(longestSql).min(1, 'is empty'), ...answerFields });
const params = shape.refine(isWhole, notWhole);

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
      if (!source.stops) throw refuse('source-without-sql', `The source '${name}' takes no SQL`);
      const table = await selectOf({ name, source, sql, first: asked.first }, { timeoutMs, logger }, call);
      const data = { source: name, dialect: source.dialect, sql, table };
      const result = { name: 'result', description: 'The statement, and the rows of its answer', data };
      const text = `Rows: ${table.rows.length}${table.truncated ? '; there are more' : ''}`;
      const proposed = await proposedOf(asked, table, { update, now }, call);
      if (!proposed) return { state: 'completed', artifacts: [result], text };
      return { ...proposed, artifacts: [result, ...proposed.artifacts], text: `${text}\n${proposed.text}` };
    },
  };
}
