import { expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { Batches } from '../../../src/base/batches.ts';
import type { Closed } from '../../../src/graph/names/closed.ts';
import type { LoggedChange } from '../../../src/graph/updates/changeLog.ts';
import type { AskedChanges } from '../../../src/knowledge/subscribe/follow.ts';
import { Delivery, type DeliveryParts } from '../../../src/knowledge/subscriptions/delivery.ts';
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
