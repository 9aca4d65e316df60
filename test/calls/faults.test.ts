import { expect, test } from '@jest/globals';
import { Neo4jError } from 'neo4j-driver';
import { ErrorCode } from '../../src/base/errors.ts';
import { asConcordError } from '../../src/calls/faults.ts';

const fault = (code: string) => new Neo4jError('Neo4j says why', code, '50N42', 'Neo4j says why');

test('a read of its own that a busy Neo4j has stopped at its time is told as worth another try', () => {
  for (const cause of [
    fault('Neo.ClientError.Transaction.TransactionTimedOut'),
    fault('Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration'),
    new Error('while it read', { cause: fault('Neo.ClientError.Transaction.TransactionTimedOut') }),
  ]) {
    const { code, data } = asConcordError(cause);
    expect({ code, data }).toMatchObject({
      code: ErrorCode.InternalError,
      data: { reason: 'database-unavailable', retryAfterMs: 1_000 },
    });
  }
});

test('what Concord did wrong is told by its trace alone', () => {
  for (const cause of [fault('Neo.ClientError.Statement.SyntaxError'), new Error('Neo4j says why')]) {
    const { message, data } = asConcordError(cause);
    expect([message, Object.keys(data)]).toEqual(['Internal error', ['traceId']]);
  }
});
