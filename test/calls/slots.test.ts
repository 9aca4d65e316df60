import { expect, test } from '@jest/globals';
import { Slots } from '../../src/calls/slots.ts';
import { localPrincipal, type Principal } from '../../src/security/principal.ts';

const who = (tenant: string, agentId?: string): Principal => ({
  ...localPrincipal,
  tenant,
  ...(agentId && { agentId }),
});

const full = (found: string, limit: number) =>
  expect.objectContaining({
    message: `${found}, and the limit is ${limit}; send the request again later`,
    data: { reason: 'too-many-tasks', limit, retryable: true },
  });

test('an agent of a tenant has so many slots, and whoever it is all have so many together', () => {
  const slots = new Slots({ what: 'tasks', perAgent: 2, inAll: 4 });
  const first = slots.enter(who('north', 'ann'));
  expect(first.held).toBe(false);
  slots.enter(who('north', 'ann'));
  expect(() => slots.enter(who('north', 'ann'))).toThrow(full('The agent has 2 tasks under way', 2));
  slots.enter(who('south', 'ann'));
  slots.enter(who('north'));
  expect(() => slots.enter(who('north', 'bob'))).toThrow(full('There are 4 tasks under way', 4));
  first.leave();
  first.leave();
  slots.enter(who('north', 'ann'));
  expect(() => slots.enter(who('south'))).toThrow(full('There are 4 tasks under way', 4));
});

test('a slot that is given back is free for its agent, down to the last', () => {
  const slots = new Slots({ what: 'tasks', perAgent: 1, inAll: 9 });
  for (let round = 0; round < 3; round++) slots.enter(who('north', 'ann')).leave();
  slots.enter(who('north', 'ann'));
  expect(() => slots.enter(who('north', 'ann'))).toThrow(full('The agent has 1 tasks under way', 1));
});
