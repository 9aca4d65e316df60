import { SendMessageRequest } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import type { OpenApi } from '../../../src/openapi/openApi.ts';
import { message } from '../../a2a/tasks.ts';
import { mutated } from '../../graph/qualify/leaks/mutation.ts';
import type { Random } from '../../graph/qualify/random.ts';
import { tokenOf } from '../../support/identities.ts';
import { mutatedByCharacters } from '../characters.ts';
import { mutatedBytes, mutatedJson } from './mutation.ts';
import { Sampler } from './sampled.ts';
import { latin1, marked, type Shot } from './shot.ts';
import { frame } from './sockets.ts';
import { calls, documents } from './wellFormed.ts';

type Headers = Record<string, string>;

const oddHeaders: [string, string[]][] = [
  ['content-type', ['text/plain', 'application/json; charset=utf-16', 'multipart/form-data; boundary=x', '/', '']],
  ['content-encoding', ['gzip', 'br', 'deflate', 'x']],
  ['accept', ['text/event-stream', 'text/html', '*/*;q=x', 'application/graphql-response+json', '']],
  ['last-event-id', ['', '0', '-1', '999999999999999999999', 'v1.AAAA', '../x', '1:2:3', 'x'.repeat(9_000)]],
  ['a2a-version', ['0.1', '0.3', '1.0', '9.9', '', '1.0, 0.3']],
  ['a2a-extensions', ['urn:x', 'x'.repeat(5_000), ',,,']],
  ['x-required-certainty', ['2', '-1', 'NaN', '']],
  ['x-max-age-seconds', ['-1', '1e99', '']],
  ['x-as-of', ['yesterday', '9999-99-99', '']],
  ['x-after-revision', ['-1', '1.5', '99999999999']],
  ['x-agent-id', ['other', '\u00e9', '']],
  ['x-api-key', ['x', 'concord_AAAA_BBBB', '']],
  ['traceparent', ['00-x-y-z', '00-00000000000000000000000000000000-0000000000000000-00', '']],
  ['origin', ['null', 'https://evil.invalid', '://']],
  ['host', ['evil.invalid', '', 'a:b:c']],
  ['range', ['bytes=0-0,-1']],
  ['if-none-match', ['*', '"']],
  ['x-forwarded-for', ['1.2.3.4', 'x']],
];

/** Makes requests of which most are wrong in something. */
export class Generator {
  private readonly sampler: Sampler;
  private readonly operations: [path: string, verb: string, operation: Record<string, unknown>][];
  /** One that has expired, the same each time. */
  private readonly token = tokenOf({ sub: 'fuzz', tenant: 'north', iat: 1_700_000_000 });
  private readonly grpcPaths = Object.values(A2AService).map(({ path }) => path);

  constructor(
    private readonly random: Random,
    { paths, components }: OpenApi,
  ) {
    this.sampler = new Sampler(random, components.schemas);
    this.operations = Object.entries(paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(
        ([verb, operation]) => [path, verb, operation as unknown as Record<string, unknown>] as const,
      ),
    ) as Generator['operations'];
  }

  next(): Shot {
    const { random } = this;
    const dice = random.next();
    if (dice < 0.45) return this.call();
    if (dice < 0.75) return this.described();
    if (dice < 0.83) return this.graphql();
    if (dice < 0.9) return this.socket();
    if (dice < 0.95) return this.grpc();
    return this.raw();
  }

  /** A call by JSON-RPC, of any dialect. */
  private call(): Shot {
    const { random } = this;
    const [method, params] = random.pick(calls(random));
    const one = { jsonrpc: '2.0', id: 1, method, params };
    const path = random.chance(0.9) ? '/a2a' : '/a2a/concord/rpc';
    const asked = random.chance(0.05) ? [one, { ...one, id: random.pick([1, 2, null]) }] : one;
    const version: Headers = /^[A-Z]/.test(method) ? { 'a2a-version': '1.0' } : {};
    return this.post(path, asked, version);
  }

  /** A request of any address and method, by its description. */
  private described(): Shot {
    const { random } = this;
    const [template, verb, operation] = random.pick(this.operations);
    const value = () =>
      random.pick(['concord', 'query', 'fuzz-task', 'a', '%00', '%2e%2e%2f', '%ff', 'é', '', "'", '💥']);
    let path = template.replace(/\{\w+\}/g, () => (random.chance(0.6) ? value() : encodeURIComponent(value())));
    const named = ((operation.parameters ?? []) as { name: string; in: string; schema: object }[]).filter(
      (each) => each.in === 'query' && random.chance(0.6),
    );
    const asked = named.map(({ name, schema }) => `${name}=${encodeURIComponent(this.text(this.sampler.of(schema)))}`);
    if (asked.length > 0) path += `?${asked.join(random.chance(0.9) ? '&' : '&&=')}`;
    const method = random.chance(0.9) ? verb.toUpperCase() : random.pick(['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE']);
    const content = (operation.requestBody as { content?: Record<string, { schema: object }> } | undefined)?.content;
    const [described] = Object.values(content ?? {});
    if (!described) return { kind: 'http', method, path: this.path(path), headers: this.headers({}) };
    return { ...this.post(path, this.sampler.of(described.schema), {}), method } as Shot;
  }

  private graphql(): Shot {
    const { random } = this;
    const query = mutated(random, random.pick(documents));
    const accept = random.pick(['application/json', 'text/event-stream', 'text/html']);
    if (random.chance(0.5)) return this.post('/graphql', { query, variables: { n: 1 } }, { accept });
    const asked = `query=${encodeURIComponent(query.replace(/[\ud800-\udfff]/g, ''))}&variables=${random.pick(['{}', '{', '[]', '%7B'])}`;
    return { kind: 'http', method: 'GET', path: `/graphql?${asked}`, headers: this.headers({ accept }) };
  }

  private post(path: string, value: unknown, further: Headers): Shot {
    const { random } = this;
    const dice = random.next();
    const text = dice < 0.1 ? JSON.stringify(value) : mutatedJson(random, value);
    const body = dice > 0.9 ? mutatedBytes(random, Buffer.from(text)).toString('latin1') : latin1(text);
    const headers = this.headers({ 'content-type': 'application/json', ...further });
    return { kind: 'http', method: 'POST', path: this.path(path), headers, body };
  }

  private path(path: string): string {
    return this.random.chance(0.03) ? mutatedByCharacters(this.random, path) : path;
  }

  private headers(own: Headers): Headers {
    const { random } = this;
    const headers: Headers = { ...own, ...this.credentials() };
    if (random.chance(0.2)) {
      const [name, values] = random.pick(oddHeaders);
      headers[name] = random.pick(values);
    }
    return headers;
  }

  private credentials(): Headers {
    const { random, token } = this;
    if (random.chance(0.8)) return { authorization: `Bearer ${marked.token}` };
    if (random.chance(0.5)) return { 'x-api-key': marked.apiKey };
    const [head = '', claims = '', signature = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const odd = Buffer.from(mutatedJson(random, { alg: 'HS256', kid: 'x', typ: 'JWT' })).toString('base64url');
    return {
      authorization: random.pick([
        '',
        'Bearer',
        'Basic eDp5',
        `Bearer ${none}.${claims}.`,
        `Bearer ${odd.slice(0, 4_000)}.${claims}.${signature}`,
        `Bearer ${head}.${mutatedBytes(random, Buffer.from(claims)).toString('base64url')}.${signature}`,
        `Bearer ${mutatedByCharacters(random, token).replace(/[^\x20-\x7e]/g, '?')}`,
        `Bearer ${'a.'.repeat(2_000)}`,
      ]),
    };
  }

  private text(value: unknown): string {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return (this.random.chance(0.5) ? text : mutatedByCharacters(this.random, text)).replace(/[\ud800-\udfff]/g, '');
  }

  private socket(): Shot {
    const { random } = this;
    const isGraphql = random.chance(0.5);
    const [method, params] = random.pick(calls(random));
    const messages: object[] = isGraphql
      ? [
          { type: 'connection_init', payload: {} },
          { type: 'subscribe', id: '1', payload: { query: mutated(random, random.pick(documents)) } },
          { type: random.pick(['complete', 'ping', 'pong', 'next']), id: '1' },
        ]
      : [{ jsonrpc: '2.0', id: 1, method: random.pick([method, 'run', 'subscribe']), params }];
    const frames = messages.map((each) => {
      const text = Buffer.from(random.chance(0.5) ? JSON.stringify(each) : mutatedJson(random, each));
      return frame(random, random.chance(0.1) ? mutatedBytes(random, text) : text).toString('latin1');
    });
    const headers = this.headers(isGraphql ? { 'sec-websocket-protocol': 'graphql-transport-ws' } : {});
    return { kind: 'socket', path: isGraphql ? '/graphql' : '/a2a/concord/ws', headers, frames };
  }

  private grpc(): Shot {
    const { random } = this;
    const sent = SendMessageRequest.fromJSON(message({ skill: 'query', query: documents[0] }, { messageId: 'm' }));
    const encoded = A2AService.sendMessage.requestSerialize(sent as never);
    const body = mutatedBytes(
      random,
      random.chance(0.5) ? encoded : Buffer.from([0x0a, 9, ...Buffer.from('fuzz-task')]),
    );
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(random.chance(0.95) ? body.length : random.below(2 ** 32), 1);
    prefix[0] = random.chance(0.95) ? 0 : random.below(256);
    const path = random.chance(0.95)
      ? random.pick(this.grpcPaths)
      : mutatedByCharacters(random, '/a2a.v1.A2AService/Get');
    const headers = this.headers({ 'a2a-version': random.pick(['1.0', '0.3', '']) });
    return { kind: 'grpc', path, headers, body: Buffer.concat([prefix, body]).toString('latin1') };
  }

  /** HTTP itself, changed by its bytes. */
  private raw(): Shot {
    const { random } = this;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'knowledge/query', params: { query: documents[0] } });
    const length = random.chance(0.7) ? body.length : random.pick(['-1', '99999999999', '1e3', '0x10', '5, 6', '']);
    const framing = random.pick([
      `Content-Length: ${length}`,
      'Transfer-Encoding: chunked',
      `Transfer-Encoding: chunked\r\nContent-Length: ${length}`,
      'Upgrade: h2c\r\nConnection: Upgrade',
    ]);
    const head = `POST /a2a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${marked.token}\r\n${framing}\r\n`;
    const sent = Buffer.from(`${head}Content-Type: application/json\r\nConnection: close\r\n\r\n${body}`);
    return { kind: 'raw', text: mutatedBytes(random, sent).toString('latin1') };
  }
}
