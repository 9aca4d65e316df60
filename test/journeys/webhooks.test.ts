import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../../src/graph/setup/migrations.ts';
import { eventually } from '../a2a/testService.ts';
import { startReceiver, type TestReceiver } from '../push/receiver.ts';
import { add } from '../support/patches.ts';
import { call, emptyGraph } from '../support/service.ts';
import { useDatabase } from '../support/setUp.ts';
import { OwnService } from './crash/ownService.ts';

const database = useDatabase();
const replicas: OwnService[] = [];
let receiver: TestReceiver;

beforeAll(async () => {
  await emptyGraph();
  await migrate(database);
  receiver = await startReceiver();
});
afterAll(async () => {
  for (const each of replicas) await each.close();
  await receiver.close();
});

/** The first replica that answers, and what. */
async function asked<Result>(method: string, params: object): Promise<Result> {
  for (;;) {
    for (const { url } of replicas) {
      const { result } = await call<Result>(url, method, params).catch(() => ({ result: undefined }));
      if (result !== undefined) return result;
    }
    await sleep(50);
  }
}

const lessee = async () =>
  (
    await database.run<{ replica: string }>(
      'READ',
      'MATCH (s:ChangeSubscription) WHERE s.leaseUntil > datetime() AND s.replica IS NOT NULL RETURN s.replica AS replica',
    )
  )[0]?.replica;

const read = (body: string) =>
  (JSON.parse(body) as { id: string; data: { changeMetadata: { sequence: number } } }[]).map(({ id, data }) => ({
    id,
    sequence: data.changeMetadata.sequence,
  }));

test('replicas are killed in the middle of deliveries, and the receiver has every change, in order, doubles by their ids', async () => {
  for (let each = 0; each < 2; each++) replicas.push(await OwnService.start({ PUSH_ALLOW: '127.0.0.1' }));
  const { id } = await asked<{ id: string }>('knowledge/subscriptions', {
    action: 'create',
    subscriptionQuery: 'subscription { statementChanged(where: {subject: {eq: "urn:counted"}}) { op } }',
    metadata: { afterSequence: 0 },
    receiver: { url: `${receiver.url}/hook` },
  });
  expect(id).toBeDefined();
  let written = 0;
  let isWriting = true;
  const write = async () => {
    while (isWriting) {
      const mutations = [add('urn:counted', 'urn:p', written)];
      const metadata = { idempotencyKey: `change ${written}` };
      await asked('knowledge/update', { mutations, sourceAgentId: 'a', metadata });
      written += 1;
      await sleep(20);
    }
  };
  const writing = write();
  for (const victim of replicas) {
    await eventually(async () => (await lessee()) !== undefined);
    const before = receiver.received.length;
    await eventually(() => receiver.received.length > before);
    // What is on its way is acknowledged to nobody.
    receiver.answer = (response) => void setTimeout(() => response.end(), 30);
    victim.kill();
  }
  await sleep(1_000);
  isWriting = false;
  await writing;
  const sequences = () => new Set(receiver.received.flatMap(({ body }) => read(body)).map(({ sequence }) => sequence));
  await eventually(() => sequences().size >= written);
  const seen = new Map<number, string>();
  let last = 0;
  for (const { body } of receiver.received) {
    for (const { id, sequence } of read(body)) {
      // A double is known by its id, and what is new follows upon the last.
      expect(id).toBe(seen.get(sequence) ?? id);
      if (!seen.has(sequence)) expect(sequence).toBe(last + 1);
      seen.set(sequence, id);
      last = Math.max(last, sequence);
    }
  }
  expect(last).toBe(written);
}, 240_000);
