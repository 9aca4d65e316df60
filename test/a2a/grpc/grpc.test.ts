import { ListTasksRequest, SendMessageRequest, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  type ClientReadableStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EXTENSION_URI } from '../../../src/a2a/protocol/extension.ts';
import { byName, message, testSkills } from '../tasks.ts';
import { eventually, startTestService, type TestService } from '../testService.ts';

const Client = makeGenericClientConstructor(A2AService, 'A2AService');

let service: TestService;
let skills: ReturnType<typeof testSkills>;
let client: InstanceType<typeof Client>;

async function start(settings: Record<string, string> = {}): Promise<void> {
  skills = testSkills();
  service = await startTestService({
    settings: { GRPC_PORT: '0', SHUTDOWN_MS: '200', ...settings },
    skills: skills.skills,
    a2a: { authenticate: byName },
  });
  client = new Client(service.grpc ?? '', credentials.createInsecure());
}
async function stop(): Promise<void> {
  client.close();
  await service.close();
}
beforeEach(() => start());
afterEach(stop);

function metadataOf(headers: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

const ana = { authorization: 'Bearer ana', 'a2a-version': '1.0' };

function make<T>(method: string, request: unknown, headers: Record<string, string> = ana): Promise<T> {
  return new Promise((resolve, reject) => {
    client[method]?.(request, metadataOf(headers), (error: ServiceError | null, answer: T) =>
      error ? reject(error) : resolve(answer),
    );
  });
}

function open(request: unknown, headers: Record<string, string> = ana) {
  const stream = client.sendStreamingMessage?.(request, metadataOf(headers)) as ClientReadableStream<StreamResponse>;
  const events: StreamResponse[] = [];
  const ended = new Promise<ServiceError | undefined>((resolve) => {
    stream.on('data', (event: StreamResponse) => events.push(event));
    stream.on('error', (error: ServiceError) => resolve(error));
    stream.on('end', () => resolve(undefined));
  });
  return { stream, events, ended };
}

const asking = (data: object, further: object = {}) => SendMessageRequest.fromJSON({ ...message(data), ...further });
const list = (tenant = '') => ListTasksRequest.fromJSON({ tenant });
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => status.OK,
    (error: ServiceError) => error.code,
  );

interface Sent {
  payload: { value: { id: string; status: { state: TaskState } } };
}

test('a message runs a skill, and its task can be got', async () => {
  const { payload } = await make<Sent>('sendMessage', asking({ skill: 'echo' }));
  expect(payload.value.status.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const { id } = payload.value;
  expect(await make('getTask', { id, tenant: '' })).toMatchObject({ id });
});

test('a stream sends its events and the extensions that it is made under', async () => {
  const { stream, events, ended } = open(asking({ skill: 'echo' }), {
    ...ana,
    'a2a-extensions': EXTENSION_URI,
  });
  const metadata = new Promise<Metadata>((resolve) => stream.once('metadata', resolve));
  expect(await ended).toBeUndefined();
  expect(events.map(({ payload }) => payload?.$case)).toEqual([
    'task',
    'statusUpdate',
    'artifactUpdate',
    'statusUpdate',
  ]);
  expect((await metadata).get('a2a-extensions')).toEqual([EXTENSION_URI]);
});

test('credentials are taken from the metadata, and without any nothing is served', async () => {
  expect(await codeOf(make('listTasks', list(), {}))).toBe(status.UNAUTHENTICATED);
  const reader = { ...ana, authorization: 'Bearer reader' };
  expect(await codeOf(make('listTasks', list(), reader))).toBe(status.PERMISSION_DENIED);
});

test("a tenant must be the caller's own, and tasks of others are not there", async () => {
  const { payload } = await make<Sent>('sendMessage', asking({ skill: 'echo' }));
  const { id } = payload.value;
  expect(await codeOf(make('listTasks', list('south')))).toBe(status.PERMISSION_DENIED);
  expect(await codeOf(make('listTasks', list('north')))).toBe(status.OK);
  for (const other of ['bob', 'ana_south']) {
    const headers = { ...ana, authorization: `Bearer ${other}` };
    expect(await codeOf(make('getTask', { id, tenant: '' }, headers))).toBe(status.NOT_FOUND);
  }
});

test('what is not supported is FAILED_PRECONDITION, and UNIMPLEMENTED for the conformance kit', async () => {
  const unsupported = async () => {
    const { payload } = await make<Sent>('sendMessage', asking({ skill: 'echo' }));
    const ended = SendMessageRequest.fromJSON(message({ skill: 'echo' }, { taskId: payload.value.id }));
    const config = { tenant: '', id: '', taskId: 'x', url: 'http://x', token: '', authentication: undefined };
    return [
      await codeOf(make('listTasks', list(), { ...ana, 'a2a-version': '9.9' })),
      await codeOf(make('sendMessage', ended)),
      await codeOf(make('createTaskPushNotificationConfig', config)),
    ];
  };
  const { FAILED_PRECONDITION: failed, UNIMPLEMENTED: unimplemented } = status;
  expect(await unsupported()).toEqual([failed, failed, failed]);
  await stop();
  await start({ A2A_KIT: 'true' });
  expect(await unsupported()).toEqual([unimplemented, unimplemented, unimplemented]);
});

test('a patch version does not matter', async () => {
  expect(await codeOf(make('listTasks', list(), { ...ana, 'a2a-version': '1.0.2' }))).toBe(status.OK);
});

test('a message beyond MAX_BODY_BYTES is refused', async () => {
  await stop();
  await start({ MAX_BODY_BYTES: '4096' });
  const long = asking({ skill: 'echo', text: 'x'.repeat(5_000) });
  expect(await codeOf(make('sendMessage', long))).toBe(status.RESOURCE_EXHAUSTED);
});

test('a caller that cancels its stream is gone, and the task goes on', async () => {
  const { stream, events, ended } = open(asking({ skill: 'wait' }));
  await eventually(() => skills.waiting.size === 1 && events.length > 0);
  stream.cancel();
  await ended;
  await eventually(() => service.log.some(({ closeReason }) => closeReason === 'caller-gone'));
  skills.release();
  const [first] = events;
  const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
  await eventually(async () => {
    const task = await make<Sent['payload']['value']>('getTask', { id, tenant: '' });
    return task.status.state === TaskState.TASK_STATE_COMPLETED;
  });
});

test('a shutdown ends streams with UNAVAILABLE', async () => {
  const { ended } = open(asking({ skill: 'wait' }));
  await eventually(() => skills.waiting.size === 1);
  const closed = service.endpoint.close();
  expect((await ended)?.code).toBe(status.UNAVAILABLE);
  expect(await codeOf(make('listTasks', list()))).toBe(status.UNAVAILABLE);
  await closed;
});

test('what is no message of the method is an invalid argument, whatever is wrong with it', async () => {
  const { path, requestSerialize } = A2AService.sendMessage;
  const sound = requestSerialize(asking({ skill: 'echo' }));
  const codeOfBytes = (bytes: Buffer) =>
    codeOf(
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          path,
          (raw: Buffer) => raw,
          (raw) => raw,
          bytes,
          metadataOf(ana),
          (error, answer) => (error ? reject(error) : resolve(answer)),
        );
      }),
    );
  expect(await codeOfBytes(sound)).toBe(status.OK);
  const cut = Array.from({ length: 40 }, (_, n) => sound.subarray(0, 1 + ((n * 37) % (sound.length - 1))));
  // The end of a group that was never begun, a length beyond the end, a number that doesn't end.
  const broken = ['0c', '0aff01', `08${'ff'.repeat(11)}`, 'ffffffffffff', '0a03ff'].map((hex) =>
    Buffer.from(hex, 'hex'),
  );
  for (const bytes of [...cut, ...broken]) {
    expect([bytes.toString('hex'), await codeOfBytes(bytes)]).toEqual([bytes.toString('hex'), status.INVALID_ARGUMENT]);
  }
});
