import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { becomeStream } from '../../src/calls/becomeStream.ts';
import { InFlight } from '../../src/calls/inFlight.ts';
import { localPrincipal } from '../../src/security/principal.ts';
import { recheckMs } from '../../src/security/recheck.ts';
import { Unauthenticated } from '../../src/security/refused.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("a stream's caller is looked at again while it is open, and no longer", async () => {
  const seen: unknown[] = [];
  const { leave, ...taken } = new InFlight().enter();
  const authenticate = async (credentials: object) => {
    seen.push(credentials);
    return localPrincipal;
  };
  becomeStream(taken, authenticate, { apiKey: 'key' });
  await jest.advanceTimersByTimeAsync(2 * recheckMs);
  expect(seen).toEqual([{ apiKey: 'key' }, { apiKey: 'key' }]);
  leave({ answered: true });
  await jest.advanceTimersByTimeAsync(3 * recheckMs);
  expect(seen).toHaveLength(2);
});

test('a stream whose caller is refused is aborted, and its caller not asked for again', async () => {
  let asked = 0;
  const { leave: _, ...taken } = new InFlight().enter();
  const authenticate = async () => {
    asked++;
    throw new Unauthenticated('expired');
  };
  becomeStream(taken, authenticate, {});
  await jest.advanceTimersByTimeAsync(3 * recheckMs);
  expect(asked).toBe(1);
  expect(taken.signal.aborted).toBe(true);
});
