import { expect, test } from '@jest/globals';
import { Neo4jError } from 'neo4j-driver';
import { ConcordError, ErrorCode } from '../../src/base/errors.ts';
import { refuse } from '../../src/base/reasons.ts';
import { PrincipalUser, principalIn, signalIn, stateIn } from '../../src/calls/callState.ts';
import { credentialsIn } from '../../src/calls/credentials.ts';
import { asConcordError, faultOf } from '../../src/calls/faults.ts';
import { requireScope } from '../../src/calls/scope.ts';
import { statusOf } from '../../src/calls/statuses.ts';
import { OutcomeUnknown } from '../../src/graph/database/outcomeUnknown.ts';
import { localPrincipal } from '../../src/security/principal.ts';
import { Unauthenticated } from '../../src/security/refused.ts';
import { contextOf } from '../tasks/contexts.ts';

test('what goes with a call is found in its context, and tasks are those of its agent', () => {
  const context = contextOf('ann');
  expect(stateIn(context).principal).toBe(principalIn(context));
  expect([principalIn(context).agentId, signalIn(context).aborted]).toEqual(['ann', false]);
  expect([context.user?.userName, contextOf(undefined).user?.userName]).toEqual(['ann', '']);
  const { signal } = new AbortController();
  const pace = async () => {};
  const { state, isAuthenticated } = new PrincipalUser(localPrincipal, signal, { pace });
  expect([state.signal, state.pace, state.becomeStream(), isAuthenticated]).toEqual([signal, pace, undefined, true]);
});

test('a scope that is not granted is missed, under the code of the method', () => {
  const principal = { ...localPrincipal, scopes: new Set(['tasks'] as const) };
  requireScope({ principal }, 'tasks', ErrorCode.KnowledgeQuery);
  expect(() => requireScope({ principal }, 'admin', ErrorCode.KnowledgeQuery)).toThrow(
    expect.objectContaining({
      code: ErrorCode.KnowledgeQuery,
      message: 'The caller lacks the scope admin',
      data: expect.objectContaining({ reason: 'missing-scope' }),
    }),
  );
});

test('a caller is told its own faults in full, and of those of Concord nothing', () => {
  const own = refuse('validation', 'yours');
  expect(asConcordError(own)).toBe(own);
  const bug = new Error('secret');
  expect(asConcordError(bug)).toMatchObject({ code: ErrorCode.InternalError, message: 'Internal error', cause: bug });
});

test('a database that is away is told with what to do, and any other fault stays as it is', () => {
  const bug = new Error('bug');
  expect(faultOf(bug, ErrorCode.KnowledgeUpdate, 'wait')).toBe(bug);
  const away = new Neo4jError('gone', 'ServiceUnavailable', '', '');
  expect(faultOf(away, ErrorCode.KnowledgeUpdate, 'wait')).toMatchObject({
    code: ErrorCode.KnowledgeUpdate,
    message: 'The database is unavailable; wait',
    data: { reason: 'database-unavailable', retryable: true },
  });
  const unknown = new OutcomeUnknown(away);
  expect(faultOf(unknown, ErrorCode.KnowledgeUpdate, 'wait')).toMatchObject({
    code: ErrorCode.KnowledgeUpdate,
    data: { reason: 'outcome-unknown' },
    cause: unknown,
  });
});

test('an error has the status of its reason, else of its code', () => {
  expect(statusOf(refuse('missing-scope', 'x'))).toEqual({ http: 403, grpc: 7 });
  expect(statusOf(new ConcordError(ErrorCode.InternalError, 'x', {}))).toEqual({ http: 500, grpc: 13 });
  expect(statusOf(new ConcordError(ErrorCode.InvalidParams, 'x', {}))).toEqual({ http: 400, grpc: 3 });
});

test('credentials are those of the two headers', () => {
  const said = (headersDistinct: Record<string, string[]>) =>
    credentialsIn({ headersDistinct } as Parameters<typeof credentialsIn>[0]);
  expect(said({ authorization: ['Bearer a'], 'x-api-key': ['b'] })).toEqual({ authorization: 'Bearer a', apiKey: 'b' });
  expect(said({})).toEqual({});
  expect(said({ authorization: ['Bearer a', 'Bearer a'] })).toEqual({ authorization: 'Bearer a' });
  // Node gives the first of two, and whoever stands in front may have looked at the other.
  expect(() => said({ authorization: ['Bearer a', 'Bearer b'] })).toThrow(Unauthenticated);
  expect(() => said({ 'x-api-key': ['a', 'b'] })).toThrow('different principals');
});
