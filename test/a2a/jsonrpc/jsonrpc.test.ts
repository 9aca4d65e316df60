import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConcordError, ErrorCode } from '../../../src/base/errors.ts';
import { type Answer, call, json, startTestService, type TestService } from '../testService.ts';

let service: TestService;
const executed: unknown[] = [];

beforeAll(async () => {
  service = await startTestService({
    unary: {
      record: async (params) => {
        executed.push(params);
        return {};
      },
      refuse: async () => {
        throw new ConcordError(ErrorCode.KnowledgeUpdate, 'The revision has moved on', {
          reason: 'revision-conflict',
        });
      },
      fail: async () => {
        throw new Error('password hunter2 is wrong');
      },
      large: async () => ({ text: 'x'.repeat(3 * 1024 * 1024) }),
      unserialisable: async () => ({ count: 1n }),
    },
    streaming: { watch: async () => (async function* () {})() },
  });
});
afterAll(() => service.close());

const answerTo = async <T = Answer>(body: unknown) => {
  const response = await service.post(body);
  expect(response.status).toBe(200);
  return json<T>(response);
};
const codeOf = async (body: unknown) => {
  const { id, error } = await answerTo(body);
  return [id, error.code];
};

test('a call is answered with its result under its id', async () => {
  expect(await answerTo(call('echo', { a: 1 }, 'x'))).toEqual({
    jsonrpc: '2.0',
    id: 'x',
    result: { echo: { a: 1 } },
  });
});

test('absent params are an empty object to the method', async () => {
  expect((await answerTo(call('echo'))).result).toEqual({ echo: {} });
});

test.each([0, -7, 1.5, '', 'abc', null])('the id %j is echoed as it is', async (id) => {
  expect((await answerTo(call('echo', {}, id))).id).toBe(id);
});

test('an id that JavaScript would round is refused rather than echoed wrong', async () => {
  expect(await codeOf('{"jsonrpc":"2.0","id":9007199254740993,"method":"echo"}')).toEqual([null, -32600]);
});

test.each(['{"jsonrpc":', '', 'hello', '{"a":1}}'])('the body %j is a parse error', async (body) => {
  expect(await codeOf(body)).toEqual([null, -32700]);
});

test('bytes that are not UTF-8 are a parse error', async () => {
  expect(await codeOf(Uint8Array.from([0x22, 0xc3, 0x28, 0x22]))).toEqual([null, -32700]);
});

test.each([
  ['a number', 5, null],
  ['null', null, null],
  ['no version', { id: 3, method: 'echo' }, 3],
  ['another version', { jsonrpc: '1.0', id: 3, method: 'echo' }, 3],
  ['no method', { jsonrpc: '2.0', id: 'a' }, 'a'],
  ['a method that is no name', { jsonrpc: '2.0', id: 'a', method: 1 }, 'a'],
  ['an object for an id', { jsonrpc: '2.0', id: {}, method: 'echo' }, null],
])('%s is an invalid request, under the id if it can be read', async (_what, body, id) => {
  expect(await codeOf(JSON.stringify(body))).toEqual([id, -32600]);
});

test.each(['nothing', 'toString', '__proto__'])(
  'there is no method %s, and the metrics do not take its name',
  async (method) => {
    expect(await codeOf(call(method))).toEqual([1, -32601]);
    expect(await service.metrics()).not.toContain(`method="${method}"`);
  },
);

test.each([[[1]], ['text'], [7], [null]])('params %j are invalid, as methods take them by name', async (params) => {
  expect(await codeOf(call('echo', params))).toEqual([1, -32602]);
});

test.each([
  ['{"a":[{"__proto__":{"admin":true}}]}', '__proto__'],
  ['{"\\u005f_proto__":1}', '__proto__'],
  ['{"a":{"constructor":{"prototype":{"admin":true}}}}', 'constructor.prototype'],
  ['{"c\\u006fnstructor":{"prototype":1}}', 'constructor.prototype'],
])('params %s are refused with the name of the key', async (params, key) => {
  const { id, error } = await answerTo(`{"jsonrpc":"2.0","id":1,"method":"record","params":${params}}`);
  expect([id, error.code]).toEqual([1, -32602]);
  expect(error.message).toContain(key);
  expect(executed).toEqual([]);
});

test('words that only look like those keys are ordinary values', async () => {
  const params = { about: '__proto__', constructor: 'Brunel' };
  expect((await answerTo(call('echo', params))).result.echo).toEqual(params);
});

test('an error for the caller is answered as it is', async () => {
  expect((await answerTo(call('refuse'))).error).toEqual({
    code: -32011,
    message: 'The revision has moved on',
    data: { reason: 'revision-conflict' },
  });
});

test('a fault of our own is answered without its message and logged with it', async () => {
  const { error } = await answerTo(call('fail'));
  expect(error.code).toBe(-32603);
  expect(JSON.stringify(error)).not.toContain('hunter2');
  expect(JSON.stringify(service.log)).toContain('hunter2');
});

test('a result that is not JSON is a fault of our own', async () => {
  expect(await codeOf(call('unserialisable'))).toEqual([1, -32603]);
});

test('a notification is executed and not answered', async () => {
  const response = await service.post({ jsonrpc: '2.0', method: 'record', params: { note: 1 } });
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect(executed.splice(0)).toEqual([{ note: 1 }]);
});

test('a notification that fails is not answered either', async () => {
  const response = await service.post({ jsonrpc: '2.0', method: 'nothing' });
  expect([response.status, await response.text()]).toEqual([204, '']);
});

test('a batch is answered with an array, each element by itself and no notification', async () => {
  const answers = await answerTo<Answer[]>([
    call('echo', { a: 1 }, 1),
    { jsonrpc: '2.0', method: 'record', params: { batch: true } },
    call('nothing', {}, 2),
    1,
    call('watch', {}, 3),
  ]);
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: 1, result: { echo: { a: 1 } } },
    expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32601 }) }),
    expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
    expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32600 }) }),
  ]);
  expect(executed.splice(0)).toEqual([{ batch: true }]);
});

test('a batch of one is answered with an array of one', async () => {
  expect(await answerTo([call('echo')])).toHaveLength(1);
});

test('a batch of notifications is answered with 204 and no body', async () => {
  const note = { jsonrpc: '2.0', method: 'record' };
  const response = await service.post([note, note]);
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect(executed.splice(0)).toHaveLength(2);
});

test('an empty batch is one invalid request', async () => {
  expect(await codeOf([])).toEqual([null, -32600]);
});

test('a batch of more than 100 requests is refused whole', async () => {
  expect(await answerTo(Array(100).fill(call('echo')))).toHaveLength(100);
  expect(await codeOf(Array(101).fill(call('record')))).toEqual([null, -32600]);
  expect(executed).toEqual([]);
});

test('a batch whose answers are too long together makes no further call', async () => {
  const large = Array.from({ length: 5 }, (_, id) => call('large', {}, id));
  const answers = await answerTo<Answer[]>([...large, call('record', {}, 5)]);
  expect(answers.map(({ error }) => error?.data.reason)).toEqual([
    ...Array(3).fill(undefined),
    ...Array(3).fill('batch-too-large'),
  ]);
  expect(answers.at(-1)?.error.data).toMatchObject({ limit: 8 * 1024 * 1024, retryable: true });
  expect(executed).toEqual([]);
});

test('an id may be as long as any name, and no longer, for every event of a stream carries it', async () => {
  const id = 'é'.repeat(1_024);
  expect((await answerTo(call('echo', {}, id))).id).toBe(id);
  expect(await codeOf(call('record', {}, `${id}x`))).toEqual([null, -32600]);
  expect(executed).toEqual([]);
});

test('a deeply nested body neither breaks the service nor goes unanswered', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"__proto_":${deep}}}`;
  expect(await codeOf(body)).toEqual([1, -32602]);
  expect((await answerTo(call('echo'))).result).toEqual({ echo: {} });
});
