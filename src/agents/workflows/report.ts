import { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import type { DataArtifact, SkillOutcome } from '../../skills/skill.ts';
import type { Course, Standing } from './plan/course.ts';
import type { Step } from './plan/plan.ts';
import { stepsBefore } from './plan/references.ts';
import type { StepResults } from './results.ts';

/** Steps that a text names. */
const namedSteps = 10;

export interface ReportParts {
  steps: readonly Step[];
  course: Course;
  results: Pick<StepResults, 'of'>;
  /** Bytes of the artifact, as JSON in UTF-8. */
  mostBytes: number;
}

/** What a workflow comes to whose steps have all ended. */
export async function outcomeOf(parts: ReportParts): Promise<SkillOutcome> {
  const { steps, course } = parts;
  const artifacts = [await stepsArtifact(parts)];
  const { failed } = course;
  const workflow = { progress: course.progress };
  if (failed.length > 0) {
    const named = failed.slice(0, namedSteps).map((id) => `${id}: ${messageOf(course.standing(id))}`);
    const more = failed.length > namedSteps ? [`and ${failed.length - namedSteps} more`] : [];
    const error = refuse('workflow-failed', `Steps have failed. ${[...named, ...more].join('; ')}`, { steps: failed });
    return { state: 'failed', artifacts, ...saying(error), data: { ...saying(error).data, workflow } };
  }
  const missing = steps.filter(({ id }) => course.standing(id).phase === 'failed').map(({ id }) => id);
  const text =
    missing.length === 0
      ? `All ${steps.length} steps have ended`
      : `${steps.length - missing.length} of ${steps.length} steps have ended; missing are the optional ${missing.join(', ')}`;
  return { state: 'completed', artifacts, text, data: { workflow: { ...workflow, missing } } };
}

/** An error as a status tells it. */
export function saying({ code, message, data }: ReturnType<typeof refuse>): { text: string; data: { error: object } } {
  return { text: message, data: { error: { code, message, data } } };
}

/** How the steps of a workflow stand, and the results of the last ones as far as there is room. */
export async function stepsArtifact({ steps, course, results, mostBytes }: ReportParts): Promise<DataArtifact> {
  const told = steps.map((step) => stepOf(step, course));
  const needed = new Set(steps.flatMap(stepsBefore));
  const last = steps.filter(({ id }) => !needed.has(id) && course.standing(id).phase === 'completed');
  const found: [string, unknown][] = [];
  const omitted: string[] = [];
  let left = mostBytes - bytesOf(told) - bytesOf(last.map(({ id }) => id));
  for (const { id } of last) {
    const result = left > 0 ? await results.of([id]).catch(() => undefined) : undefined;
    const length = result ? bytesOf([id, result.get(id) ?? null]) : left + 1;
    if (length > left) omitted.push(id);
    else {
      left -= length;
      found.push([id, result?.get(id) ?? null]);
    }
  }
  const data = { steps: told, results: Object.fromEntries(found), ...(omitted.length > 0 && { omitted }) };
  return { name: 'workflow', description: 'What became of the steps, and the results of the last ones', data };
}

function stepOf({ id, optional }: Step, course: Course) {
  const standing = course.standing(id);
  const runs = course.tasksOf(id);
  const tasks = runs.map(({ taskId }) => taskId);
  const attempts = runs.reduce((sum, { attempt }) => sum + attempt, 0);
  return {
    id,
    state: stateOf(standing, runs.length),
    ...(optional && { optional }),
    ...(tasks.length > 0 && { tasks, attempts }),
    ...(standing.phase === 'failed' && { error: standing.error }),
  };
}

function stateOf({ phase }: Standing, tasks: number): string {
  if (phase === 'entered') return tasks > 0 ? 'working' : 'pending';
  return phase;
}

const messageOf = (standing: Standing) => (standing.phase === 'failed' ? standing.error.message : '');
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** What ends a workflow of which it is still told how far it has come. */
export const isLimit = (error: unknown): error is ConcordError =>
  error instanceof ConcordError && (error.data.reason === 'workflow-deadline' || error.data.reason === 'workflow-size');

/** The steps that wait for an answer. */
export const waitingIn = (course: Course) =>
  course.open('waiting').map(({ step, taskId: task, state }) => ({
    ...{ step, task },
    ...(state.phase === 'waiting' && { text: state.text }),
  }));

export function tooLate(): ConcordError {
  return refuse('workflow-deadline', 'The time of the workflow is over; its steps that were under way are cancelled');
}
