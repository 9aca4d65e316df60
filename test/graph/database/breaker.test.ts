import { afterEach, expect, test } from '@jest/globals';
import { Neo4jError } from 'neo4j-driver';
import { deferred } from '../../../src/base/deferred.ts';
import { Breaker } from '../../../src/graph/database/breaker.ts';

type Answer = () => Promise<void>;

const there: Answer = async () => {};
const away: Answer = async () => {
  throw new Neo4jError('refused', 'ServiceUnavailable', '', '');
};
const lost = () => Promise.reject(new Neo4jError('is lost', 'SessionExpired', '', ''));

let breaker: Breaker;
afterEach(() => breaker.close());

/** A breaker before a Neo4j that answers probes as `answer` does now. */
function before(answer: { now: Answer }, pooled = answer) {
  const told: boolean[] = [];
  let probes = 0;
  const fresh = () => {
    probes += 1;
    return answer.now();
  };
  breaker = new Breaker({ pooled: () => pooled.now(), fresh }, (isOpen) => told.push(isOpen), 4);
  return { told, probes: () => probes };
}

/** Waits for the breaker to be open, or closed. */
async function until(isOpen: boolean): Promise<void> {
  for (const end = Date.now() + 20_000; breaker.isOpen !== isOpen; ) {
    if (Date.now() > end) throw new Error(`It was not ${isOpen ? 'opened' : 'closed'}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('a lost connection opens it where a probe fails too; what waits and what comes fails at once, until one is answered', async () => {
  const answer = { now: away };
  const { told } = before(answer);
  const stuck = breaker.guard(() => new Promise<void>(() => {}));
  stuck.catch(() => {});
  await expect(breaker.guard(lost)).rejects.toThrow('is lost');
  await expect(stuck).rejects.toThrow('does not answer');
  let asked = false;
  const next = breaker.guard(async () => {
    asked = true;
  });
  await expect(next).rejects.toThrow('does not answer');
  expect([asked, told]).toEqual([false, [true]]);
  answer.now = there;
  await until(false);
  expect(await breaker.guard(async () => 'asked')).toBe('asked');
  expect(told).toEqual([true, false]);
});

test('faults of callers, slow queries and connections that are lost do not open it while a probe is answered', async () => {
  const { told, probes } = before({ now: there });
  const begun = performance.now();
  const slow = breaker.guard(() => new Promise((resolve) => setTimeout(resolve, 2_000, 'slow')));
  for (const code of ['Neo.ClientError.Statement.SyntaxError', 'Neo.TransientError.General.MemoryPoolOutOfMemoryError'])
    await expect(breaker.guard(() => Promise.reject(new Neo4jError('', code, '', '')))).rejects.toThrow();
  expect(probes()).toBe(0);
  await expect(breaker.guard(lost)).rejects.toThrow();
  expect(await slow).toBe('slow');
  expect(probes()).toBeGreaterThan(0);
  // One for the connection that was lost, and one a second for what is slow.
  expect(probes()).toBeLessThanOrEqual(1 + Math.floor((performance.now() - begun) / 1_000));
  expect(told).toEqual([]);
});

test('where new connections cannot be had, one that is there and answers keeps it closed', async () => {
  const { told } = before({ now: away }, { now: there });
  await expect(breaker.guard(lost)).rejects.toThrow();
  await new Promise(setImmediate);
  expect([breaker.isOpen, told]).toEqual([false, []]);
});

test('what waits for a Neo4j that answers nothing ends within seconds, and any probe that is answered closes it', async () => {
  const { promise: thawed, resolve: thaw } = deferred();
  const { probes } = before({ now: () => thawed });
  const begun = Date.now();
  await expect(breaker.guard(() => new Promise(() => {}))).rejects.toThrow('does not answer');
  expect(Date.now() - begun).toBeGreaterThan(2_000);
  // The one that has found it out was given up, and is answered as well.
  expect(probes()).toBe(1);
  thaw();
  await until(false);
});

test('work that was given up neither asks on nor is committed, and has its own time where it begins anew', async () => {
  before({ now: there });
  const goesOn = deferred();
  let wentOn: unknown;
  const work = breaker.guard(async (attempt) => {
    attempt.begin();
    await goesOn.promise;
    try {
      attempt.goOn();
    } catch (error) {
      wentOn = error;
    }
  }, 100);
  await expect(work).rejects.toThrow('has not answered in time');
  goesOn.resolve();
  await new Promise(setImmediate);
  expect(wentOn).toBeInstanceOf(Error);
});

test('the answer to the probe that found out that Neo4j is away closes it, though no later one is answered', async () => {
  const { promise: thawed, resolve: thaw } = deferred();
  const answer = { now: (): Promise<void> => thawed };
  before(answer);
  await expect(breaker.guard(lost)).rejects.toThrow('is lost');
  answer.now = () => new Promise(() => {});
  await until(true);
  thaw();
  await until(false);
});

test('work that is given up when it opens neither asks on nor is committed, not even at that moment', async () => {
  const goesOn = deferred();
  breaker = new Breaker({ pooled: away, fresh: away }, () => goesOn.resolve(), 4);
  let wentOn: unknown;
  const work = breaker.guard(async (attempt) => {
    await goesOn.promise;
    try {
      attempt.goOn();
    } catch (error) {
      wentOn = error;
    }
  });
  work.catch(() => {});
  await expect(breaker.guard(lost)).rejects.toThrow('is lost');
  await expect(work).rejects.toThrow('does not answer');
  expect(wentOn).toBeInstanceOf(Error);
});
