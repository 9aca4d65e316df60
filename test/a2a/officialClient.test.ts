import { AgentCard, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { message, testSkills } from './tasks.ts';
import { json, startTestService, type TestService } from './testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { GRPC_PORT: '0' }, skills: testSkills().skills });
});
afterAll(() => service.close());

const legacyCompat = { enabled: true };
const factory = new ClientFactory({
  transports: [
    new JsonRpcTransportFactory({ legacyCompat }),
    new RestTransportFactory({ legacyCompat }),
    new GrpcTransportFactory({ legacyCompat }),
  ],
});

const ways = ['1.0', '0.3'].flatMap((version) =>
  ['JSONRPC', 'HTTP+JSON', 'GRPC'].map((binding) => [version, binding] as const),
);

test.each(ways)('the official client finds A2A %s over %s on the card, and speaks it', async (version, binding) => {
  const card = AgentCard.fromJSON(await json(fetch(`${service.listening.url}/.well-known/agent-card.json`)));
  const supportedInterfaces = card.supportedInterfaces.filter(
    (each) => each.protocolVersion === version && each.protocolBinding === binding,
  );
  // gRPC has targets and no URLs.
  for (const each of supportedInterfaces) if (binding === 'GRPC') each.url = each.url.replace('http://', '');
  const client = await factory.createFromAgentCard({ ...card, supportedInterfaces });
  const request = () => SendMessageRequest.fromJSON(message({ skill: 'echo', about: 'France' }));

  const sent = await client.sendMessage(request());
  if (!('artifacts' in sent)) throw new Error('not a task');
  expect(sent.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'data', value: { about: 'France' } });
  const found = await client.getTask({ id: sent.id, tenant: '' });
  expect(found.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);

  const events = [];
  for await (const { payload } of client.sendMessageStream(request())) events.push(payload?.$case);
  expect(events).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
});
