import { expect, test } from '@jest/globals';
import { ConcordError, ErrorCode } from '../../src/base/errors.ts';
import { refuse } from '../../src/base/reasons.ts';
import { countRefusal, isRefusal } from '../../src/calls/refusals.ts';
import { retryAfter, statusOf } from '../../src/calls/statuses.ts';
import type { Instruments } from '../../src/telemetry/instruments.ts';

const counting = () => {
  const counted: unknown[] = [];
  const authenticationFailures = { add: (count: number, labels: object) => counted.push([count, labels]) };
  return { counted, instruments: { authenticationFailures } as unknown as Instruments };
};

test('who is refused for who it is, or for what it may not do, is counted once', () => {
  const { counted, instruments } = counting();
  const refusals = [refuse('missing-scope', 'x'), refuse('missing', 'x')];
  for (const error of [...refusals, ...refusals]) countRefusal(instruments, error);
  expect(counted).toEqual([
    [1, { reason: 'missing-scope' }],
    [1, { reason: 'missing' }],
  ]);
  expect(refusals.map(isRefusal)).toEqual([true, true]);
});

test('a caller whom nobody can look at is counted, though it is not refused', () => {
  const { counted, instruments } = counting();
  const error = refuse('identities-unavailable', 'x');
  countRefusal(instruments, error);
  expect([counted, isRefusal(error)]).toEqual([[[1, { reason: 'identities-unavailable' }]], false]);
});

test('other errors, and those without a reason, are not counted', () => {
  const { counted, instruments } = counting();
  for (const error of [refuse('validation', 'x'), new ConcordError(ErrorCode.InvalidParams, 'x', {})])
    countRefusal(instruments, error);
  expect(counted).toEqual([]);
});

test('a reason without a status of its own has that of its code', () => {
  const busy = refuse('too-many-tasks', 'x', { limit: 1 });
  expect(statusOf(busy)).toEqual({ http: 429, grpc: 8 });
  expect(statusOf(refuse('validation', 'x', {}, { code: ErrorCode.InternalError }))).toEqual({ http: 500, grpc: 13 });
});

test('when to come again is told in whole seconds, rounded up, and not where nobody knows', () => {
  const of = (retryAfterMs?: unknown) => retryAfter({ data: { retryAfterMs } as ConcordError['data'] });
  expect([0, 1, 1_000, 1_001, 2_500].map(of)).toEqual(['0', '1', '1', '2', '3']);
  expect([of(), of('1000')]).toEqual([undefined, undefined]);
});
