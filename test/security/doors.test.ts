import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { message } from '../a2a/tasks.ts';
import { call } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { type Door, taskDoors } from './taskDoors.ts';

let ways: ReturnType<typeof taskDoors>;
const service = useService({ GRPC_PORT: '0', PUSH_ALLOW: '127.0.0.1' });
beforeAll(async () => {
  ways = taskDoors(service.url, service.grpc ?? '');
});
afterAll(async () => {
  ways?.close();
});

const taskDoorNames = ['JSON-RPC', 'JSON-RPC of 0.3', 'HTTP+JSON', 'HTTP+JSON of 0.3', 'gRPC'];
const door = (name: string) => ways.doors[name] as Door;
const sent = (further: object = {}, settings: object = {}) => ({
  ...message({ skill: 'echo' }, further),
  ...settings,
});
const refusedAt = (path: string) => ({
  code: -32602,
  message: expect.stringMatching(new RegExp(`^Invalid params: ${path.replace('[', '\\[')}[ .[]`)),
});

/** Of one byte to four, of several code points, and those that texts are cut, escaped or hidden by. */
const characters = ['x', 'é', '€', '😀', 'e\u0301', '\u0000', '\n', '"', '\\', '\uFEFF', '\u202E', '%', "'", '`'];

describe.each(taskDoorNames)('over %s an id that is too long is refused by its path', (name) => {
  test.each(characters.map((each) => [JSON.stringify(each), each]))('made of %s', async (_, character) => {
    const long = character.repeat(20_000);
    for (const [path, further] of [
      ['message.messageId', { messageId: long }],
      ['message.contextId', { contextId: long }],
      ['message.taskId', { taskId: long }],
    ] as const) {
      expect(await door(name).send(sent(further))).toEqual(refusedAt(path));
    }
  });

  test('and so is what is not kept under an index', async () => {
    const long = 'x'.repeat(20_000);
    const taskPushNotificationConfig = { id: long, url: 'https://127.0.0.1:9/' };
    const configuration = { taskPushNotificationConfig };
    expect(await door(name).send(sent({}, { configuration }))).toEqual(
      refusedAt('configuration.taskPushNotificationConfig.id'),
    );
    const config = { taskId: 't', id: 'i', url: 'https://127.0.0.1:9/' };
    for (const [path, further] of [
      ['id', { id: long }],
      ['url', { url: `https://127.0.0.1:9/${long}` }],
      ['token', { token: long }],
      ['authentication.credentials', { authentication: { scheme: 'Bearer', credentials: long } }],
    ] as const) {
      expect(await door(name).setPushConfig({ ...config, ...further })).toEqual(refusedAt(path));
    }
  });

  test('and one of 512 characters of three bytes each is none', async () => {
    const longest = '€'.repeat(512);
    const { code } = await door(name).send(sent({ messageId: longest, contextId: longest }));
    expect(code).toBeUndefined();
  });
});

/** Numbers that are none for a count, as JSON texts. */
const noCounts = ['-1', '-9007199254740992', '1.5', '-0.5', '1e-7', '2147483648', '9007199254740992', '1e308', '1e999'];
const noCountTexts = ['"many"', '"NaN"', '"-1"', '"1.5"', '{}', '[1,2]'];

describe('a number that is no count is refused by its path', () => {
  const members: [method: string, path: string, params: (text: string) => string][] = [
    ['GetTask', 'historyLength', (text) => `{"id":"t","historyLength":${text}}`],
    ['ListTasks', 'historyLength', (text) => `{"historyLength":${text}}`],
    ['ListTasks', 'pageSize', (text) => `{"pageSize":${text}}`],
    ['ListTaskPushNotificationConfigs', 'pageSize', (text) => `{"taskId":"t","pageSize":${text}}`],
    [
      'SendMessage',
      'configuration.historyLength',
      (text) => `{${JSON.stringify(sent()).slice(1, -1)},"configuration":{"historyLength":${text}}}`,
    ],
  ];
  test.each([...noCounts, ...noCountTexts])('%s', async (text) => {
    for (const [method, path, params] of members) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params(text)}}`;
      const answer = await fetch(`${service.url}/a2a`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body,
      });
      expect(await answer.json()).toMatchObject({ error: refusedAt(path) });
    }
  });
});

/** Ways to nest, each a text of so many levels. */
const nestings: [string, (levels: number) => string][] = [
  ['objects', (levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ['lists', (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`],
  ['both', (levels) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`],
  ['empty keys', (levels) => `${'{"":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ['keys that end strings', (levels) => `${'{"\\\\":"]}","\\"":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ['keys of brackets', (levels) => `${'{"]}]}":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ['keys of two units', (levels) => `${'{"😀":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ['escaped keys', (levels) => `${'{"\\u0022\\u007d":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ['the second member', (levels) => `${'{"b":[],"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ['the last entry', (levels) => `${'[0,[],'.repeat(levels)}1${']'.repeat(levels)}`],
  ['white space', (levels) => `${'[\n\t '.repeat(levels)}${' ]'.repeat(levels)}`],
];
const messageText = (data: string, metadata: string) =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${data}}]},"metadata":{"a":${metadata}}}`;
const deepBodies: [string, string, Record<string, string>, (deep: string) => string][] = [
  [
    '/a2a',
    'knowledge/query',
    {},
    (deep) => rpc('knowledge/query', `{"query":"{__typename}","variables":{"v":${deep}}}`),
  ],
  ['/a2a', 'knowledge/update', {}, (deep) => rpc('knowledge/update', `{"mutations":[],"metadata":{"v":${deep}}}`)],
  ['/a2a', 'data', { 'a2a-version': '1.0' }, (deep) => rpc('SendMessage', messageText(deep, '1'))],
  ['/a2a', 'metadata', { 'a2a-version': '1.0' }, (deep) => rpc('SendMessage', messageText('{}', deep))],
  ['/a2a', 'data of 0.3', {}, (deep) => rpc('message/send', messageText(deep, '1'))],
  ['/a2a/v1/message:send', 'data', { 'a2a-version': '1.0' }, (deep) => messageText(deep, '1')],
  ['/a2a/v1/message:stream', 'metadata', { 'a2a-version': '1.0' }, (deep) => messageText('{}', deep)],
  ['/a2a/v1/message:send', 'data of 0.3', {}, (deep) => messageText(deep, '1')],
  ['/graphql', 'variables', {}, (deep) => `{"query":"{__typename}","variables":{"v":${deep}}}`],
  ['/graphql', 'extensions', {}, (deep) => `{"query":"{__typename}","extensions":{"v":${deep}}}`],
];
const rpc = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;

describe('JSON nested too deeply is refused by its path', () => {
  test.each(nestings)('%s', async (_, nested) => {
    for (const [path, what, headers, body] of deepBodies) {
      for (const levels of [102, 2_000, 100_000]) {
        const answer = await fetch(`${service.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: body(nested(levels)),
        });
        const text = await answer.text();
        expect([path, what, levels, text.slice(0, 400)]).toEqual([
          path,
          what,
          levels,
          expect.stringMatching(/is nested deeper than 100 levels/),
        ]);
        expect(text).not.toContain('-32603');
        if (path !== '/a2a') expect(answer.status).toBe(400);
      }
    }
  });

  test('and so it is in the address of a GraphQL query, and over gRPC', async () => {
    for (const name of ['variables', 'extensions']) {
      const query = new URLSearchParams({
        query: '{__typename}',
        [name]: `{"v":${'['.repeat(500)}${']'.repeat(500)}}`,
      });
      const answer = await fetch(`${service.url}/graphql?${query}`, {
        headers: { 'apollo-require-preflight': '1' },
      });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { errors: [{ message: expect.stringContaining(`${name}.v[0]`), extensions: { code: -32602 } }] },
      ]);
    }
    let metadata: object = {};
    for (let level = 0; level < 500; level++) metadata = { a: metadata };
    expect(await door('gRPC').send({ ...sent(), metadata })).toEqual(refusedAt('metadata.a'));
  });

  test('while a string of brackets is as deep as any string', async () => {
    const provenance = { note: '[{'.repeat(2_000) };
    const subject = { id: 'urn:brackets' };
    const statement = {
      subject,
      predicate: { id: 'urn:p' },
      object: { value: 1 },
      provenance,
    };
    const answer = await call(service.url, 'knowledge/update', { mutations: [{ op: 'add', statement }] });
    expect(answer.error).toBeUndefined();
  });
});

describe('a request that no method can read is the fault of its caller', () => {
  test('over HTTP+JSON', async () => {
    const bodies = [
      '"x"',
      '1',
      'true',
      '[]',
      '[1]',
      '{"message":{"messageId":"m","parts":[null]}}',
      '{"message":{"messageId":"m","parts":[{"raw":{}}]}}',
    ];
    for (const path of [
      '/message:send',
      '/local/message:send',
      '/message:stream',
      '/tasks/t/pushNotificationConfigs',
    ]) {
      for (const version of ['1.0', '0.3']) {
        for (const body of bodies) {
          const answer = await fetch(`${service.url}/a2a/v1${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'a2a-version': version },
            body,
          });
          expect([path, version, body, answer.status]).toEqual([path, version, body, 400]);
        }
      }
    }
  });
});

/**
 * What becomes of a socket on which a message is sent once it is acknowledged: the type of the answer, or the code and
 * the reason it is closed with.
 */
async function answerTo(text: string): Promise<unknown> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await new Promise((resolve) => socket.once('message', resolve));
  const answer = new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve([code, String(reason)]));
    socket.once('message', (data) => resolve(JSON.parse(String(data)).type));
  });
  socket.send(text);
  return answer.finally(() => socket.terminate());
}

describe('what no caller may send closes a socket, and is no fault of the service', () => {
  const messages = [
    { type: 'next', id: '1', payload: {} },
    { type: 'error', id: '1', payload: [{ message: 'x' }] },
    { type: 'connection_ack' },
    { type: 'unheard-of' },
  ];
  test.each(messages.map((each) => [each.type, each]))('%s', async (_, message) => {
    expect(await answerTo(JSON.stringify(message))).toEqual([4400, expect.any(String)]);
  });

  test.each(nestings)('a message nested too deeply, of %s', async (_, nested) => {
    const deep = nested(5_000);
    for (const text of [
      `{"type":"ping","payload":{"v":${deep}}}`,
      `{"type":"subscribe","id":"1","payload":{"query":"subscription{statementChanged{op}}","variables":{"v":${deep}}}}`,
    ]) {
      expect(await answerTo(text)).toEqual([4400, expect.stringMatching(/^Invalid params: payload\./)]);
    }
    expect(await answerTo('{"type":"ping","payload":{}}')).toBe('pong');
  });
});
