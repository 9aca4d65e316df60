import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { optional, text } from '../../knowledge/patch.ts';
import type { Understood } from '../../questions/reading/read.ts';
import { tellStep } from '../../questions/steps.ts';
import { askedBack, choiceOf, declined, openQuestion, readingOf, told } from '../../skills/askSkill.ts';
import type { Skill, SkillCall, SkillOutcome } from '../../skills/skill.ts';
import type { Asked as AskedSource, ReadOfSource, SourceAsker } from '../asking/asker.ts';
import { answerFields, isWhole, notWhole, type QuerySourceParts, sourceName } from './querySourceSkill.ts';
import { proposedOf, selectOf } from './selecting.ts';
import { sourceOf } from './sourceOf.ts';

export interface AskSourceParts extends QuerySourceParts {
  asker: SourceAsker;
}

const shape = z.strictObject({
  question: text(10_000).min(1, 'is empty'),
  source: optional(sourceName),
  ...answerFields,
});
const params = shape.refine(isWhole, notWhole);
type Asked = z.output<typeof params>;

/** Characters of a statement that looks values up: it has many conditions, and nothing of a caller's but parameters. */
const longestLookUp = 60_000;

/**
 * `ask` with `source`: a question in English becomes one SQL statement, by what is stated of the source's schema and the
 * values in it. It is looked at and run as one of `query-source`. Without `source` it is a question to the graph.
 */
export function askSourceSkill(ask: Skill, parts: AskSourceParts): Skill {
  return {
    ...ask,
    summary: 'Answers a question in English over the shared graph or a database, and tells how it was read',
    parameters: params,
    async run(input, call) {
      const open = call.task && openQuestion(call.task);
      const given = input as { source?: unknown };
      if (given.source === undefined && open?.source === undefined) return ask.run(input, call);
      requireScope(call, 'knowledge:query', ErrorCode.KnowledgeQuery);
      const asked = parseParams(params, input);
      const name = asked.source ?? open?.source ?? '';
      if (asked.then) requireScope(call, 'knowledge:update', ErrorCode.KnowledgeUpdate);
      const of = askedOf(parts, name, call);
      if (open?.source === name) {
        const chosen = choiceOf(open.choices, asked.question);
        const reading = chosen && readingOf(asReading(await parts.asker.read(open.question, of)), chosen);
        if (reading) return answered(parts, reading, { ...asked, question: open.question }, of, call);
      }
      tellStep(call, 'understanding');
      tellStep(call, 'searching the schema');
      const read = asReading(await parts.asker.read(asked.question, of));
      if (read.kind === 'understood') return answered(parts, read.reading, asked, of, call);
      return read.kind === 'choice' ? askedBack(asked.question, read.readings, { source: name }) : declined(read);
    },
  };
}

function askedOf({ sources, timeoutMs, logger }: AskSourceParts, name: string, call: SkillCall): AskedSource {
  const source = sourceOf(sources, call.principal, name);
  const { dialect } = source;
  if (dialect === 'cypher') throw refuse('source-without-sql', `The source '${name}' isn't asked in words yet`);
  return {
    ...{ name, dialect, principal: call.principal },
    select: ({ sql, values }, first) =>
      selectOf({ ...{ name, source, sql, values, first }, longest: longestLookUp }, { timeoutMs, logger }, call),
  };
}

/** @throws ConcordError `source-not-introspected`, `source-without-history` */
function asReading(read: ReadOfSource): Exclude<ReadOfSource, { kind: 'not-introspected' | 'under' }> {
  if (read.kind === 'not-introspected')
    throw refuse('source-not-introspected', 'Nothing is known of what the source is made of; have it introspected');
  if (read.kind === 'under')
    throw refuse('source-without-history', 'A source has neither history nor certainty; ask without a time of knowing');
  return read;
}

async function answered(
  { asker, update, now }: AskSourceParts,
  reading: Understood,
  { question, first, mapping }: Asked,
  of: AskedSource,
  call: SkillCall,
): Promise<SkillOutcome> {
  tellStep(call, 'building', { said: `Read as: ${reading.inWords}`, reading: told(reading) });
  const { sql, values } = await asker.statement(question, reading, of);
  tellStep(call, 'running');
  const table = await of.select({ sql, values }, first);
  tellStep(call, 'shaping');
  const { name, dialect } = of;
  const result = {
    name: 'result',
    description: 'How the question was read, the statement that was made of it, and the rows of its answer',
    data: { reading: told(reading), source: name, dialect, sql, values, table },
  };
  const said = `Read as: ${reading.inWords}. Rows: ${table.rows.length}${table.truncated ? '; there are more' : ''}`;
  const proposed = await proposedOf({ source: name, sql, mapping }, table, { update, now }, call);
  if (!proposed) return { state: 'completed', artifacts: [result], text: said };
  return { ...proposed, artifacts: [result, ...proposed.artifacts], text: `${said}\n${proposed.text}` };
}
