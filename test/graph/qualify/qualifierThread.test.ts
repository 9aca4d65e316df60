import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { ConcordError } from '../../../src/base/errors.ts';
import { LimitExceeded } from '../../../src/base/limitExceeded.ts';
import { QualifierThread } from '../../../src/graph/qualify/qualifierThread.ts';
import { Qualifier, RefusedCypher } from '../../support/qualifier.ts';
import { leakVocabulary, projectedFields } from './vocabulary.ts';

const fields = projectedFields(leakVocabulary);
const thread = new QualifierThread(fields);
const qualifier = new Qualifier(fields);
const north = { tenant: 'north', requiredCertainty: 0.5 };

afterAll(() => thread.close());

test('the thread answers as the qualifier does, with the values of each call', async () => {
  const text = 'MATCH (n:Person) WHERE n.age > 12345678901 AND n.name = $name RETURN n.name AS `the name`';
  for (const tenant of ['north', 'south']) {
    const conditions = { ...north, tenant };
    const [found, expected] = [await thread.qualify(text, conditions), qualifier.qualify(text, conditions)];
    expect({ ...found, parametersFor: 0 }).toEqual({ ...expected, parametersFor: 0 });
    expect(found.parametersFor({ name: 'a' })).toEqual(expected.parametersFor({ name: 'a' }));
  }
});

test('many who ask at once each get their own', async () => {
  const texts = Array.from({ length: 40 }, (_, index) => `RETURN ${index % 20} AS c${index % 20}`);
  const found = await Promise.all(texts.map((text) => thread.qualify(text, north)));
  expect(found.map(({ columns }) => columns[0])).toEqual(texts.map((_, index) => `c${index % 20}`));
});

test('what is refused is refused as it would be here', async () => {
  const refused = await thread.qualify('MATCH (n)\nDELETE n', north).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RefusedCypher);
  expect(refused).toMatchObject({ construct: 'the clause DELETE', position: { line: 2, column: 1 } });
  const deep = await thread.qualify(`RETURN ${'['.repeat(99)}`, north).catch((error: unknown) => error);
  expect(deep).toBeInstanceOf(ConcordError);
  expect(deep).toMatchObject({ code: -32010, data: { reason: 'too-deep', found: 99 } });
});

test('a parameter that is missing, or must be a list and is none, is refused by name', async () => {
  const { parametersFor } = await thread.qualify('MATCH (n:Entity) WHERE n.id IN $ids RETURN n.id AS i', north);
  expect(() => parametersFor({})).toThrow('the parameter $ids, which is not given');
  expect(() => parametersFor({ ids: 'a' })).toThrow('the parameter $ids as a list, which it is not');
  expect(parametersFor({ ids: ['a'], unused: 1 })).toMatchObject({ g1: ['a'] });
});

test('a thread that dies is replaced', async () => {
  const mortal = new QualifierThread(fields);
  await mortal.qualify('RETURN 1 AS one', north);
  // Its worker, as a fault of the parser's would end it.
  const { worker } = mortal as unknown as { worker: import('node:worker_threads').Worker };
  const waiting = mortal.qualify('RETURN 2 AS two', north).catch((error: unknown) => error);
  worker.emit('error', new Error('out of memory'));
  expect(await waiting).toEqual(new Error('out of memory'));
  expect((await mortal.qualify('RETURN 3 AS three', north)).columns).toEqual(['three']);
  await mortal.close();
});

describe('while a long text is read', () => {
  const long = `RETURN [${Array.from({ length: 2_000 }, (_, index) => index).join(', ')}] AS numbers`;

  afterEach(() => {
    jest.useRealTimers();
  });

  /** Asks for all at once and tells who is answered, in that order. */
  async function answered(thread: QualifierThread, texts: string[]): Promise<unknown[]> {
    const order: unknown[] = [];
    const ask = async (text: string) => {
      const { columns } = await thread.qualify(text, north);
      order.push(...columns);
    };
    await Promise.all(texts.map(ask));
    return order;
  }

  test('the shortest of those that wait is next', async () => {
    const texts = [long, 'RETURN 1000 AS third', 'RETURN 1 AS one', 'RETURN 10 AS second'];
    expect(await answered(thread, texts)).toEqual(['numbers', 'one', 'second', 'third']);
  });

  test('it is given up when its time is over, and the others are answered by another thread', async () => {
    let spent = 0;
    const patient = new QualifierThread(fields, () => spent);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const refused = patient.qualify(long, north).catch((error: unknown) => error);
    const others = answered(patient, ['RETURN 100 AS waited', 'RETURN 1 AS one']);
    jest.advanceTimersByTime(9_999);
    const workerOf = () => (patient as unknown as { worker: object }).worker;
    const first = workerOf();
    spent = 10_000;
    jest.advanceTimersByTime(1);
    expect(workerOf()).not.toBe(first);
    const error = await refused;
    expect(error).toBeInstanceOf(LimitExceeded);
    expect(error).toMatchObject({ code: -32010, data: { reason: 'too-large', limit: 10_000 } });
    expect(await others).toEqual(['one', 'waited']);
    // What was given up is asked anew, and not remembered as refused.
    expect((await patient.qualify(long, north)).columns).toEqual(['numbers']);
    await patient.close();
  });

  test('on a machine that has other things to do it has six times as long', async () => {
    let spent = 0;
    const starved = new QualifierThread(fields, () => spent);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const given = [starved.qualify(long, north), starved.qualify('RETURN 1 AS one', north)];
    const all = Promise.allSettled(given);
    spent = 9_999;
    jest.advanceTimersByTime(59_999);
    const { worker } = starved as unknown as { worker: object };
    jest.advanceTimersByTime(1);
    expect((starved as unknown as { worker: object }).worker).not.toBe(worker);
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    await starved.close();
  });

  test('one that is answered in time leaves no clock running', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    await thread.qualify('RETURN 12345 AS other', north);
    expect(jest.getTimerCount()).toBe(0);
  });
});
