import { expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { Batches } from '../../../src/base/batches.ts';
import type { Closed } from '../../../src/graph/names/closed.ts';
import type { LoggedChange } from '../../../src/graph/updates/changeLog.ts';
import type { AskedChanges } from '../../../src/knowledge/subscribe/follow.ts';
import { Delivery, type DeliveryParts, type DeliveryPatience } from '../../../src/knowledge/subscriptions/delivery.ts';
import { localPrincipal } from '../../../src/security/principal.ts';
import { loggedChange } from '../../changes/loggedChange.ts';

const nothing = new Map<string, string>();
const closing = (...classes: string[]): Closed => ({
  classes: new Map(classes.map((each) => [each, 'rule'])),
  ...{ predicates: nothing, labels: nothing, types: nothing, properties: nothing },
});

test('changes that the policy closed while they were looked at are not sent, but looked at anew', async () => {
  let closed = closing();
  const sent: string[] = [];
  const looked = [
    () => {
      // What is after the first one made the feed ask Neo4j, and the policy was read again meanwhile.
      closed = closing('urn:Secret');
      return [loggedChange(1, 'secret'), loggedChange(2, 'open')];
    },
    () => [loggedChange(2, 'open')],
  ];
  const follow = async () => {
    const look = looked.shift();
    let rest = look;
    const next = async (): Promise<LoggedChange[] | undefined> => {
      const found = rest?.();
      rest = undefined;
      return found;
    };
    return Object.assign(new Batches(next, () => {}), { position: () => 0 }) as unknown as AskedChanges;
  };
  const subscription = { id: 'one', tenant: 't', owner: '', wanted: {}, receiver: { url: 'https://a' }, cursor: 0 };
  const parts = {
    store: { serving: async () => subscription, delivered: async () => true },
    follow,
    recall: async () => localPrincipal,
    closedTo: () => closed,
    attempt: async (_to: unknown, { body }: { body: Buffer }) => {
      sent.push(...JSON.parse(body.toString()).map(({ subject }: { subject: string }) => subject));
      return { kind: 'delivered' };
    },
    limits: { events: 10, bytes: 10_000 },
    instruments: { webhookDeliveries: { add() {} }, webhookEvents: { add() {} } },
  };
  const turns = { opening: pLimit(1), sending: <T>(_owner: string, work: () => Promise<T>) => work() };
  await new Delivery({ tenant: 't', id: 'one' }, parts as unknown as DeliveryParts, turns).done;
  expect(sent).toEqual(['open']);
});

type Attempted = Awaited<ReturnType<DeliveryParts['attempt']>>;

/** One delivery of some changes, whose receiver answers as a test says, each time; and what became of it. */
function delivering(
  attempt: (time: number, delivery: () => Delivery) => Attempted,
  { changes = 1, patience = {} as Partial<DeliveryPatience>, limits = { events: 2, bytes: 10_000 } } = {},
) {
  const state = { cursor: 0, failures: 0, paused: '', sent: [] as string[][], attempts: 0 };
  const parts = {
    store: {
      serving: async () => ({ id: 'one', tenant: 't', owner: '', wanted: {}, receiver: { url: 'https://a' } }),
      delivered: async (_key: unknown, sequence: number) => {
        state.cursor = sequence;
        return true;
      },
      failed: async () => {
        state.failures += 1;
        return state.failures;
      },
      giveUp: async (_key: unknown, reason: string) => {
        state.paused = reason;
        return true;
      },
    },
    follow: async () => {
      const left = Array.from({ length: changes }, (_, n) => loggedChange(n + 1, `s${n + 1}`)).slice(state.cursor);
      let isTold = left.length === 0;
      const next = async () => {
        if (isTold) return undefined;
        isTold = true;
        return left;
      };
      return Object.assign(new Batches(next, () => {}), { position: () => 0 }) as unknown as AskedChanges;
    },
    recall: async () => localPrincipal,
    closedTo: () => undefined,
    attempt: async (_to: unknown, { body }: { body: Buffer }) => {
      state.attempts += 1;
      state.sent.push(JSON.parse(body.toString()).map(({ subject }: { subject: string }) => subject));
      return attempt(state.attempts, () => delivery);
    },
    limits,
    patience: { attempts: 5, baseMs: 1, longestMs: 4, ...patience },
    instruments: { webhookDeliveries: { add() {} }, webhookEvents: { add() {} }, webhookPauses: { add() {} } },
    logger: { warn() {} },
    onError() {},
  };
  const turns = { opening: pLimit(1), sending: <T>(_owner: string, work: () => Promise<T>) => work() };
  const delivery: Delivery = new Delivery({ tenant: 't', id: 'one' }, parts as unknown as DeliveryParts, turns);
  const late = setTimeout(() => delivery.cut(), 10_000);
  return delivery.done.then(() => state).finally(() => clearTimeout(late));
}

test('what a batch has no room for comes in the next one', async () => {
  const { sent, cursor } = await delivering(() => ({ kind: 'delivered' }) as Attempted, { changes: 5 });
  expect([sent, cursor]).toEqual([[['s1', 's2'], ['s3', 's4'], ['s5']], 5]);
});

test('an event that is longer than a batch may be is sent by itself', async () => {
  const limits = { events: 10, bytes: 300 };
  const { sent, cursor } = await delivering(() => ({ kind: 'delivered' }) as Attempted, { changes: 3, limits });
  expect([sent, cursor]).toEqual([[['s1'], ['s2'], ['s3']], 3]);
});

test.each([
  ['HTTP 410', 'receiver-gone'],
  ['refused-address', 'refused-address'],
  ['invalid-url', 'invalid-url'],
])(
  'a receiver that will never take anything (%s) is tried once, and the subscription is paused',
  async (why, reason) => {
    const { attempts, paused } = await delivering(() => ({ kind: 'failed', reason: why }) as Attempted);
    expect([attempts, paused]).toEqual([1, reason]);
  },
);

test('one that fails otherwise is tried as often as may be, after waits that grow to the longest', async () => {
  const failing = () => ({ kind: 'failed', reason: 'HTTP 503' }) as Attempted;
  // Doubled without an end, the waits would come to years.
  const { attempts, paused } = await delivering(failing, { patience: { attempts: 40, baseMs: 1, longestMs: 2 } });
  expect([attempts, paused]).toEqual([40, 'receiver-failing']);
});

test('who is cut off by a shutdown has not failed', async () => {
  const { attempts, failures, paused } = await delivering((_time, delivery) => {
    delivery().cut();
    return { kind: 'failed', reason: 'aborted' } as Attempted;
  });
  expect([attempts, failures, paused]).toEqual([1, 0, '']);
});
