import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Course, isSettled, type Run, type RunState } from '../../../../src/agents/workflows/plan/course.ts';
import { entryOf } from '../../../../src/agents/workflows/plan/entering.ts';
import { type Step, steps as stepsSchema } from '../../../../src/agents/workflows/plan/plan.ts';
import { stepsBefore } from '../../../../src/agents/workflows/plan/references.ts';

const parsed = (given: object[]): Step[] => stepsSchema.parse(given);
const completed: RunState = { phase: 'completed' };
const failed = (reason: 'agent-failed' | 'replica-lost' | 'timeout', at = 0): RunState => ({
  phase: 'failed',
  at,
  error: { reason, message: 'No', retryable: true },
});

/** A workflow without circles: each step comes after some of those before it. */
const workflows = fc
  .array(
    fc.record({
      depends: fc.array(fc.nat(30), { maxLength: 3 }),
      needs: fc.array(fc.nat(30), { maxLength: 2 }),
      optional: fc.boolean(),
      fails: fc.boolean(),
      items: fc.option(fc.nat(3), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((given) =>
    given.map(({ depends, needs, optional, fails, items }, n) => {
      const before = (numbers: number[]) => (n === 0 ? [] : [...new Set(numbers.map((each) => `s${each % n}`))]);
      const step = parsed([
        {
          ...{ id: `s${n}`, agent: 'a', task: 't', optional, depends: before(depends) },
          parameters: { from: before(needs).map((each) => ({ $result: each })) },
          ...(n > 0 && items !== undefined && { forEach: { $result: `s${n - 1}`, pointer: '/list' } }),
        },
      ])[0] as Step;
      return { step, fails, items: items ?? 0 };
    }),
  );
type Case = (typeof workflows extends fc.Arbitrary<infer T> ? T : never)[number];

/** Does a workflow to its end. @param pick which of the tasks that are due is done next */
function done(cases: Case[], pick: (count: number) => number, known: Run[] = []): { course: Course; runs: Run[] } {
  const course = new Course(cases.map(({ step }) => step));
  const runs = [...known];
  for (const run of known) course.heard(run);
  const caseOf = (id: string) => cases.find(({ step }) => step.id === id) as Case;
  for (let rounds = 0; !course.isOver; rounds++) {
    if (rounds > 1_000) throw new Error('It has no end');
    for (const step of course.ready()) {
      for (const id of stepsBefore(step)) expect(isSettled(course.standing(id))).toBe(true);
      const results = new Map(
        stepsBefore(step).flatMap((id): [string, unknown][] => {
          const standing = course.standing(id);
          if (standing.phase !== 'completed') return [];
          const next = cases[cases.findIndex((each) => each.step.id === id) + 1];
          return [[id, { list: Array.from({ length: next?.items ?? 0 }, (_, n) => n) }]];
        }),
      );
      const optional = (id: string) => caseOf(id).step.optional === true;
      course.enter(step.id, entryOf(step, { course, optional, results, longest: 1_000_000 }));
    }
    const due = course.due();
    if (due.length === 0) continue;
    const { notBefore: _, ...key } = due[pick(due.length)] as (typeof due)[number];
    // Nothing is begun twice.
    expect(runs.filter((run) => run.step === key.step && run.item === key.item && run.attempt === key.attempt)).toEqual(
      [],
    );
    const state = caseOf(key.step).fails ? failed('agent-failed') : completed;
    const run: Run = { ...key, taskId: JSON.stringify(key), state };
    runs.push(run);
    course.heard(run);
  }
  return { course, runs };
}

const standingsOf = (course: Course, cases: Case[]) => cases.map(({ step }) => course.standing(step.id));

test('a course comes to the same end in whichever order tasks are done', () => {
  fc.assert(
    fc.property(workflows, fc.infiniteStream(fc.nat()), (cases, stream) => {
      const order = stream[Symbol.iterator]();
      const one = done(cases, () => 0);
      const other = done(cases, (count) => (order.next().value as number) % count);
      expect(standingsOf(other.course, cases)).toEqual(standingsOf(one.course, cases));
      expect(one.course.progress).toBe(100);
    }),
    { numRuns: 150 },
  );
});

test('a course that is told what was done before goes on and does none of it again', () => {
  fc.assert(
    fc.property(workflows, fc.nat(), fc.nat(), (cases, seed, cut) => {
      const whole = done(cases, (count) => seed % count);
      const before = whole.runs.slice(0, cut % (whole.runs.length + 1));
      // In another order than they were done in.
      const again = done(cases, (count) => (seed + 1) % count, before.toReversed());
      expect(standingsOf(again.course, cases)).toEqual(standingsOf(whole.course, cases));
      expect(again.runs).toHaveLength(whole.runs.length);
    }),
    { numRuns: 150 },
  );
});

test('a step fails exactly where it fails itself, or needs one that has', () => {
  fc.assert(
    fc.property(workflows, (cases) => {
      const { course, runs } = done(cases, () => 0);
      for (const { step, fails } of cases) {
        const isRun = runs.some((run) => run.step === step.id);
        const standing = course.standing(step.id);
        if (isRun) expect(standing.phase).toBe(fails ? 'failed' : 'completed');
        else if (standing.phase === 'failed') expect(standing.error.reason).toBe('step-needed');
        else if (standing.phase === 'completed') expect(step.forEach).toBeDefined();
      }
    }),
    { numRuns: 150 },
  );
});

const own = (more: object = {}) => parsed([{ id: 's', agent: 'concord/query', ...more }]);
const run = (attempt: number, state: RunState): Run => ({ step: 's', item: 0, attempt, taskId: `t${attempt}`, state });

test('a task that failed is begun again as often as it was wished, each time after a longer wait', () => {
  const course = new Course(own({ retry: { max: 2 } }));
  course.enter('s', { kind: 'run' });
  expect(course.due()).toMatchObject([{ attempt: 1 }]);
  course.heard(run(1, failed('timeout', 5_000)));
  expect(course.due()).toMatchObject([{ attempt: 2, notBefore: 6_000 }]);
  course.heard(run(2, failed('timeout', 10_000)));
  expect(course.due()).toMatchObject([{ attempt: 3, notBefore: 12_000 }]);
  course.heard(run(3, failed('timeout', 20_000)));
  expect([course.due(), course.isOver]).toEqual([[], true]);
});

test('a linear wait grows by the same each time, and what cannot get better is not tried again', () => {
  const course = new Course(own({ retry: { max: 3, backoff: 'linear' } }));
  course.enter('s', { kind: 'run' });
  for (const attempt of [1, 2]) course.heard(run(attempt, failed('timeout')));
  expect(course.due()).toMatchObject([{ attempt: 3, notBefore: 2_000 }]);
  course.heard(run(3, { phase: 'failed', at: 0, error: { reason: 'validation', message: '', retryable: false } }));
  expect(course.standing('s').phase).toBe('failed');
});

test('a task whose replica was lost is begun again unasked, but not for ever', () => {
  const course = new Course(own());
  course.enter('s', { kind: 'run' });
  for (const attempt of [1, 2, 3, 4, 5]) {
    course.heard(run(attempt, failed('replica-lost')));
    // Heard twice, it was lost once.
    course.heard(run(attempt, failed('replica-lost')));
    expect(course.due()).toMatchObject([{ attempt: attempt + 1 }]);
  }
  course.heard(run(6, failed('replica-lost')));
  expect(course.standing('s')).toMatchObject({ phase: 'failed', error: { reason: 'replica-lost' } });
});

test('a task that is gone before it has begun is begun under the same attempt', () => {
  const course = new Course(own());
  course.enter('s', { kind: 'run' });
  course.heard(run(1, failed('replica-lost')));
  course.heard(run(2, { phase: 'working' }));
  expect(course.due()).toEqual([]);
  course.gone(run(2, { phase: 'working' }));
  expect(course.due()).toMatchObject([{ attempt: 2 }]);
});

test('of the tasks of a list one that fails fails the step, once all have ended', () => {
  const [list, each] = parsed([
    { id: 'list', agent: 'a' },
    { id: 'each', agent: 'a', forEach: { $result: 'list' } },
  ]) as [Step, Step];
  const course = new Course([list, each]);
  course.enter('list', { kind: 'run' });
  course.heard({ step: 'list', item: 0, attempt: 1, taskId: 'l', state: completed });
  course.enter('each', { kind: 'run', items: 3 });
  const item = (number: number, state: RunState) =>
    course.heard({ step: 'each', item: number, attempt: 1, taskId: `e${number}`, state });
  item(1, failed('agent-failed'));
  item(0, completed);
  expect([course.isOver, course.progress]).toEqual([false, 62]);
  item(2, { phase: 'waiting', text: 'What?' });
  expect(course.open('waiting').map(({ taskId }) => taskId)).toEqual(['e2']);
  item(2, completed);
  expect(course.failed).toEqual(['each']);
  expect(course.tasksOf('each').map(({ taskId }) => taskId)).toEqual(['e0', 'e1', 'e2']);
});

test("whose turn it is isn't looked for anew with each of many steps that are left out", () => {
  const count = 150;
  const ids = Array.from({ length: count }, (_, n) => `s${n}`);
  let looks = 0;
  class Watched extends Course {
    override standing(id: string) {
      looks += 1;
      return super.standing(id);
    }
  }
  const course = new Watched(parsed(ids.map((id, n) => ({ id, agent: 'a', depends: ids.slice(0, n) }))));
  for (const id of ids) {
    expect(course.ready().map((step) => step.id)).toEqual([id]);
    course.enter(id, { kind: 'skip' });
  }
  expect([course.isOver, looks < 10 * count]).toEqual([true, true]);
});
