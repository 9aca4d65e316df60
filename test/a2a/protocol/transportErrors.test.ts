import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { expect, test } from '@jest/globals';
import { requestShape } from '../../../src/a2a/handler/requestShape.ts';
import { errorText, resultText } from '../../../src/a2a/jsonrpc/answers.ts';
import { bodyLimits } from '../../../src/a2a/protocol/body.ts';
import { invalidRequest, ProtocolError, unreadable } from '../../../src/a2a/protocol/protocolError.ts';
import { grpcErrors, restBody, restErrors } from '../../../src/a2a/protocol/transportErrors.ts';
import { isServed, versionAsked } from '../../../src/a2a/protocol/version.ts';
import { refuse } from '../../../src/base/reasons.ts';

test.each([
  [undefined, '0.3', true],
  ['  ', '0.3', true],
  ['1.0', '1.0', true],
  [' 1.0.3 ', '1.0', true],
  ['0.3.0', '0.3', true],
  ['1', '1', false],
  ['2.0', '2.0', false],
  ['1.0-beta', '1.0-beta', false],
])('the version of %j is %s', (header, version, served) => {
  expect([versionAsked(header), isServed(versionAsked(header))]).toEqual([version, served]);
});

test('a body of anybody is shorter where callers need credentials', () => {
  expect(bodyLimits(1_000_000, true)).toEqual({ ofKnown: 1_000_000, ofAnybody: 65_536 });
  expect(bodyLimits(1_000, true)).toEqual({ ofKnown: 1_000, ofAnybody: 1_000 });
  expect(bodyLimits(1_000_000, false)).toEqual({ ofKnown: 1_000_000, ofAnybody: 1_000_000 });
});

const missing = refuse('missing-scope', 'No scope');

test('an error of Concord has the form that each transport looks for', () => {
  const rest = restErrors({ kit: false });
  expect(rest(missing, '1.0')).toMatchObject({ transport: 'rest', statusCode: 403, reason: 'MISSING_SCOPE' });
  expect(rest(missing, '0.3')).toMatchObject({ transport: 'jsonrpc', envelopeCode: missing.code, data: missing.data });
  expect(rest(invalidRequest('x'), '0.3')).toMatchObject({ transport: 'jsonrpc', data: undefined });
  expect(rest(invalidRequest('x'), '1.0')).toMatchObject({ reason: 'INVALID_REQUEST', statusCode: 400 });
  expect(grpcErrors({ kit: false })(missing, '1.0')).toMatchObject({
    transport: 'grpc',
    status: 7,
    reason: 'MISSING_SCOPE',
  });
  expect(JSON.stringify(restBody(missing, '1.0', 403))).toContain('MISSING_SCOPE');
  expect(JSON.stringify(restBody(missing, '0.3', 403))).toContain(String(missing.code));
});

test('an error of the protocol stays what the kit of its transport knows', () => {
  const original = new UnsupportedOperationError('no');
  const error = ProtocolError.of(original);
  expect(restErrors({ kit: true })(error, '1.0')).toBe(original);
  expect(grpcErrors({ kit: false })(error, '1.0')).toBe(original);
  expect(grpcErrors({ kit: true })(error, '1.0')).not.toBe(original);
});

test('an answer is a response of JSON-RPC under the id of its request', () => {
  expect(JSON.parse(resultText(7, { a: 1 }))).toEqual({ jsonrpc: '2.0', id: 7, result: { a: 1 } });
  expect(JSON.parse(errorText('x', missing))).toEqual({
    jsonrpc: '2.0',
    id: 'x',
    error: { code: missing.code, message: 'No scope', data: missing.data },
  });
  expect(JSON.parse(errorText(null, invalidRequest('bad'))).error).toEqual({ code: -32600, message: 'bad' });
  expect(unreadable('x')).toMatchObject({ data: { reason: 'invalid-params', retryable: false } });
});

const long = (length: number) => 'x'.repeat(length);

test.each([
  ['taskId', long(512), long(513)],
  ['message', { contextId: long(512) }, { contextId: long(513) }],
  ['message', { referenceTaskIds: Array(100).fill('t') }, { referenceTaskIds: Array(101).fill('t') }],
  ['message', { parts: [{ filename: long(1_024) }] }, { parts: [{ filename: long(1_025) }] }],
  ['message', { metadata: {} }, { metadata: 'x' }],
  ['configuration', { historyLength: 0 }, { historyLength: -1 }],
  [
    'configuration',
    { taskPushNotificationConfig: { url: long(2_048) } },
    { taskPushNotificationConfig: { url: long(2_049) } },
  ],
  ['authentication', { credentials: long(8_192) }, { credentials: long(8_193) }],
  ['pageSize', 2 ** 31 - 1, 2 ** 31],
  ['historyLength', 3, 1.5],
  ['pageToken', long(2_048), long(2_049)],
])('of %s what is within its limits is taken, and not what is beyond', (member, taken, refused) => {
  const isTaken = (value: unknown) => requestShape.safeParse({ [member]: value, other: 1 }).success;
  expect([isTaken(taken), isTaken(null), isTaken(refused)]).toEqual([true, true, false]);
});
