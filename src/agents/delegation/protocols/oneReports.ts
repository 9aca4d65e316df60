import { Part } from '@a2a-js/sdk';
import { z } from 'zod';
import type { Heard } from '../../events/conversations.ts';
import { refused } from './failures.ts';
import { shaped } from './jsonRpc.ts';
import type { RemoteReport, RemoteStatus } from './remoteAgent.ts';
import { answerOf, shapes, withinBounds, words } from './reports.ts';

const saying = z
  .string()
  .nullish()
  .transform((text) => words(text ?? ''));
const fault = z.looseObject({ code: saying, message: saying, retryable: z.boolean().nullish() });

/** A message of an agent of ONE: a stranger's, of which only what is used has a form. */
const said = z.looseObject({
  type: z.string(),
  content: z
    .looseObject({
      taskId: z.string().max(512, 'is longer than 512 characters').nullish(),
      status: z.string().nullish(),
      result: z.unknown().optional(),
      error: fault.nullish(),
      code: saying,
      message: saying,
      question: saying,
      data: z.unknown().optional(),
      retryable: z.boolean().nullish(),
      progress: z.number().nullish(),
    })
    .nullish()
    .transform((content) => content ?? undefined),
});

type Said = z.output<typeof said>;

/** The agent's own id of the task, which it is told with an answer. */
export function remoteTaskIn(heard: readonly Heard[]): string | undefined {
  return heard.map(read).findLast(({ content }) => content?.taskId)?.content?.taskId ?? undefined;
}

/**
 * How a task stands after all that its agent has said in the conversation. Of two ends the first holds; what it asked
 * before it was answered is over.
 * @throws ConcordError `agent-refused` where it has said that by an error, `agent-answer`
 */
export function reportOf(correlationId: string, heard: readonly Heard[]): RemoteReport {
  const all = heard.filter(({ isOlder }) => !isOlder).map(read);
  const last =
    all.find(({ type }) => ends.has(type)) ??
    all.findLast(({ type }) => type === 'query') ??
    all.findLast(({ type }) => type === 'status_update');
  const report = { taskId: correlationId, conversation: correlationId, artifacts: [], status: working };
  return last ? { ...report, ...standing(last) } : report;
}

const ends = new Set(['task_result', 'task_rejection', 'error', 'response']);
const working: RemoteStatus = { state: 'working', text: '', data: [] };

function standing({ type, content }: Said): Pick<RemoteReport, 'status'> & Partial<Pick<RemoteReport, 'artifacts'>> {
  const { status, result, error, message = '', code = '', question = '', data, retryable, progress } = content ?? {};
  if (type === 'error') throw refused(message, { agentCode: code, ...(retryable != null && { retryable }) });
  if (type === 'task_rejection') return { status: { state: 'rejected', text: message, data: [] } };
  if (type === 'query') {
    return {
      status: { state: 'input-required', text: question, data: withinBounds(data === undefined ? [] : [data]) },
    };
  }
  if (type === 'status_update') {
    return { status: { ...working, text: message, data: progress == null ? [] : [{ progress }] } };
  }
  const artifacts = result === undefined || result === null ? [] : [answerOf(partsOf(result))];
  if (status === 'completed') return { artifacts, status: { state: 'completed', text: message, data: [] } };
  if (status === 'working') return { status: working };
  const { retryable: again, ...what } = error ?? {};
  const told = error ? [{ error: { ...what, data: { ...(again != null && { retryable: again }) } } }] : [];
  return { artifacts, status: { state: 'failed', text: error?.message ?? message, data: told } };
}

const partsOf = (result: unknown) => {
  const part = typeof result === 'string' ? { text: result.toWellFormed() } : { data: result };
  return shaped(shapes.artifact.shape.parts, [Part.fromJSON(part)]);
};

function read({ content }: Heard): Said {
  return shaped(said, JSON.parse(content));
}
