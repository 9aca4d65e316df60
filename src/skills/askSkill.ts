import { z } from 'zod';
import { ErrorCode } from '../base/errors.ts';
import { isObject } from '../base/isObject.ts';
import { parseParams } from '../calls/params.ts';
import { requireScope } from '../calls/scope.ts';
import { text } from '../knowledge/patch.ts';
import type { Asker } from '../questions/answering/asker.ts';
import { type AskModelParts, askModel } from '../questions/model/askModel.ts';
import { inlined } from '../questions/model/inlined.ts';
import type { ReadQuestion, Understood } from '../questions/reading/read.ts';
import { tellStep } from '../questions/steps.ts';
import { longestQuestion, mostTokens } from '../questions/words.ts';
import type { Skill, SkillCall, SkillOutcome } from './skill.ts';

export interface AskParts {
  asker: Asker;
  /** Absent where no language model is configured. */
  model: AskModelParts | undefined;
}

/** On a task that waits, the number of what is meant will do for a question. */
const params = z.strictObject({ question: text(10_000).min(1, 'is empty') });

/**
 * `ask`: a question in English becomes a typed query by the words of the vocabulary and by what the caller sees, and is
 * run as the caller's own, read-only. What isn't understood surely is asked back or declined; where there is a language
 * model, it makes a query of what the reader doesn't understand.
 */
export function askSkill(parts: AskParts): Skill {
  return {
    summary: 'Answers a question in English over the shared graph, and tells how it was read',
    example: { skill: 'ask', question: 'Which countries border France?' },
    parameters: params,
    textField: 'question',
    async run(input, call) {
      requireScope(call, 'knowledge:query', ErrorCode.KnowledgeQuery);
      const { question } = parseParams(params, input);
      const open = call.task && openQuestion(call.task);
      if (open) {
        const chosen = await chosenIn(parts, open, question, call);
        if (chosen) return answered(parts, chosen, call);
      }
      tellStep(call, 'understanding');
      tellStep(call, 'searching the schema');
      const read = await parts.asker.read(question, call);
      if (read.kind === 'understood') return answered(parts, read.reading, call, question);
      if (read.kind === 'choice') return askedBack(question, read.readings);
      return (parts.model && (await byModel(parts.model, question, call))) ?? declined(read);
    },
  };
}

/** @param question absent where it was chosen of several readings */
async function answered(
  { asker, model }: AskParts,
  reading: Understood,
  call: SkillCall,
  question?: string,
): Promise<SkillOutcome> {
  tellStep(call, 'building', { said: `Read as: ${reading.inWords}`, reading: told(reading) });
  tellStep(call, 'running');
  const { query, variables, data, queryMetadata, table, picture } = await asker.answer(reading, call);
  tellStep(call, 'shaping');
  if (model && question !== undefined) {
    const whole = inlined(model.schema, query, variables);
    const { sight, tokens } = await asker.sightOf(question, call);
    if (whole !== undefined) model.answered.keep(sight, { question, query: whole }, tokens);
  }
  const isCut = table.truncated ? '; there is more than is shown' : '';
  return {
    state: 'completed',
    artifacts: [
      {
        name: 'result',
        description: 'How the question was read, the query that was made of it, and its result',
        data: { reading: told(reading), query, variables, table, picture, data, queryMetadata },
      },
    ],
    text: `Read as: ${reading.inWords}. Answered at revision ${queryMetadata.revision}${isCut}`,
  };
}

/** What a caller is told of how a question was read. */
export function told({ inWords, taken, leftOver, certainty, under }: Understood) {
  return { inWords, taken, leftOver, certainty, ...under };
}

/** @param more of what the answer needs to be understood */
export function askedBack(question: string, readings: Understood[], more: { source?: string } = {}): SkillOutcome {
  const choices = readings.map((reading, index) => ({ choice: index + 1, ...told(reading) }));
  const lines = choices.map(({ choice, inWords }) => `${choice}. ${inWords}`);
  const what = choices.length > 1 ? 'This may mean several things' : 'This is only a guess';
  return {
    state: 'input-required',
    artifacts: [],
    text: `${what}. Answer with the number of what is meant, or ask otherwise:\n${lines.join('\n')}`,
    data: { question, ...more, choices },
  };
}

export function declined(read: Exclude<ReadQuestion, { kind: 'understood' | 'choice' }>): SkillOutcome {
  if (read.kind === 'too-long') {
    const text = `A question has at most ${longestQuestion} characters and ${mostTokens} words; ask for less at once`;
    return { state: 'rejected', artifacts: [], text, data: { understood: false, unknown: [], nearest: [] } };
  }
  const { words: unknown, nearest } = read;
  const what = unknown.length > 0 ? `I don't understand: ${unknown.join(' ')}.` : "I don't understand this question.";
  const near = nearest.length > 0 ? ` The nearest that I know: ${nearest.join(', ')}.` : '';
  return {
    state: 'rejected',
    artifacts: [],
    text: `${what}${near} The skill explore finds classes, predicates and entities by words`,
    data: { understood: false, unknown, nearest },
  };
}

/** @returns undefined where the model has no query either */
async function byModel(parts: AskModelParts, question: string, call: SkillCall): Promise<SkillOutcome | undefined> {
  const made = await askModel(parts, question, call);
  if (!made) return undefined;
  const { result, ...told } = made;
  const { data, queryMetadata } = result;
  return {
    state: 'completed',
    artifacts: [
      {
        name: 'result',
        description: 'The query that was made of the question, and its result',
        data: { madeBy: 'model', ...told, data, queryMetadata },
      },
    ],
    text: `Answered at revision ${queryMetadata.revision} by the query in the artifact; check that it asks what was meant`,
  };
}

export interface OpenQuestion {
  question: string;
  /** Absent where it was asked of the graph. */
  source?: string | undefined;
  choices: { inWords: string }[];
}

const openQuestions = z.object({
  question: z.string(),
  source: z.string().optional(),
  choices: z.array(z.looseObject({ inWords: z.string() })),
});

/** What a task was answered with that waits for a choice: the last that Concord said in it. */
export function openQuestion({ status, history }: NonNullable<SkillCall['task']>): OpenQuestion | undefined {
  const said = [...history, ...(status?.message ? [status.message] : [])];
  const data = said.flatMap(({ parts }) =>
    parts.flatMap(({ content }) => (content?.$case === 'data' && isObject(content.value) ? [content.value] : [])),
  );
  return data.flatMap((each) => openQuestions.safeParse(each).data ?? []).at(-1);
}

/** What is chosen of what was offered, read anew: the graph may have changed since. */
async function chosenIn(
  { asker }: AskParts,
  { question, choices }: OpenQuestion,
  said: string,
  call: SkillCall,
): Promise<Understood | undefined> {
  const chosen = choiceOf(choices, said);
  return chosen === undefined ? undefined : readingOf(await asker.read(question, call), chosen);
}

/** What is meant of what was offered: by its number, or in its words. */
export function choiceOf(choices: OpenQuestion['choices'], said: string): string | undefined {
  const number = Number(/^\s*#?(\d{1,3})\.?\s*$/.exec(said)?.[1]);
  return choices.find(({ inWords }, index) => index + 1 === number || inWords === said)?.inWords;
}

/** The same of what was read anew. */
export function readingOf(read: ReadQuestion, chosen: string): Understood | undefined {
  const readings = read.kind === 'choice' ? read.readings : read.kind === 'understood' ? [read.reading] : [];
  return readings.find(({ inWords }) => inWords === chosen);
}
