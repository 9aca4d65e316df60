import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { ErrorCode } from '../../src/base/errors.ts';
import * as client from '../../src/client/errors.ts';
import type * as Wire from '../../src/client/index.ts';
import type { patch } from '../../src/knowledge/patch.ts';
import type { QueryResult } from '../../src/knowledge/query/query.ts';
import type { ReviewItem } from '../../src/knowledge/review/review.ts';
import type { ChangeEvent } from '../../src/knowledge/subscribe/subscribe.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';

/** Compiles only if what is sent is what the other side expects. */
const expects =
  <Expected>() =>
  <Sent extends Expected>(..._sent: Sent[]) => {};

test('the types of the client are those of the service', () => {
  expects<Wire.QueryResult<unknown>>()<QueryResult>();
  expects<Wire.UpdateResult>()<UpdateResult>();
  expects<Wire.ChangeEvent>()<ChangeEvent>();
  expects<Wire.Proposal>()<ReviewItem>();
  expects<z.input<typeof patch>>()<Wire.Patch>();
});

test.each(Object.entries(ErrorCode))('the error %s of the service has a class of its own', (name, code) => {
  const error = client.errorOf({ code, message: 'no', data: { reason: 'because', retryable: true } });
  expect(error).toMatchObject({ code, message: 'no', reason: 'because', retryable: true });
  expect(error.name.replace(/Error$/, '')).toBe(name.replace(/Error$/, ''));
  expect(error).toBeInstanceOf(client.ConcordClientError);
  expect(error.constructor).not.toBe(client.ConcordClientError);
});

test('an error of a code that is not known here is an error all the same', () => {
  expect(client.errorOf({ code: -32099, message: 'odd' })).toMatchObject({ code: -32099, retryable: false });
});
