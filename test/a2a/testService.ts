import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Writable } from 'node:stream';
import { type A2aParts, createA2a } from '../../src/a2a/a2a.ts';
import type { Endpoint } from '../../src/a2a/jsonrpc/endpoint.ts';
import type { Methods, StreamingMethod, UnaryMethod } from '../../src/calls/call.ts';
import { Slots } from '../../src/calls/slots.ts';
import { readConfig } from '../../src/config/config.ts';
import { type AgentOs, createAgentOs } from '../../src/dialects/agentos/agentOs.ts';
import { ownAgents } from '../../src/dialects/agentos/agents.ts';
import { dialects } from '../../src/dialects/dialects.ts';
import { createRestDialect } from '../../src/dialects/rest/rest.ts';
import { type AppParts, createApp } from '../../src/http/app.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { serveSockets } from '../../src/http/upgrades.ts';
import { openApi } from '../../src/openapi/openApi.ts';
import { openApiRouter } from '../../src/openapi/openApiRouter.ts';
import { CertificateFiles } from '../../src/security/certificateFiles.ts';
import { localPrincipal } from '../../src/security/principal.ts';
import { signingKey } from '../../src/security/signingKey.ts';
import type { Skill } from '../../src/skills/skill.ts';
import { SkillExecutor } from '../../src/skills/skillExecutor.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startMetrics } from '../../src/telemetry/metrics.ts';
import { tasksInMemory } from './tasksInMemory.ts';

export interface TestService {
  url: string;
  endpoint: Endpoint;
  listening: Listening;
  /** Where gRPC is served, if GRPC_PORT is set. */
  grpc?: string;
  /** Every log entry so far. */
  log: Record<string, unknown>[];
  /** Posts to /a2a: an object as JSON, a string or bytes as they are. */
  post(body: unknown, init?: RequestInit): Promise<Response>;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  unary?: Record<string, UnaryMethod>;
  streaming?: Record<string, StreamingMethod>;
  settings?: Record<string, string>;
  /** What messages can ask for, by name. */
  skills?: Record<string, Skill>;
  a2a?: Partial<A2aParts>;
  app?: Partial<AppParts>;
}

export const echo: UnaryMethod = async (params) => ({ echo: params });

/** The outer shell over real HTTP on a free port, with the methods of the test behind it. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const config = readConfig({ PORT: '0', SHUTDOWN_MS: '500', ...options.settings });
  const methods: Methods = {
    unary: new Map(Object.entries({ echo, ...options.unary })),
    streaming: new Map(Object.entries(options.streaming ?? {})),
  };
  const log: Record<string, unknown>[] = [];
  const lines = new Writable({
    write(line, _encoding, done) {
      log.push(JSON.parse(String(line)));
      done();
    },
  });
  const logger = createLogger('info', lines);
  const metrics = startMetrics();
  const skills = new Map(Object.entries(options.skills ?? {}));
  const executor = new SkillExecutor({
    skills,
    timeoutMs: config.TASK_TIMEOUT_MS,
    maxArtifactBytes: config.TASK_MAX_ARTIFACT_BYTES,
    logger,
    uuid: randomUUID,
    now: Date.now,
  });
  let base = '';
  const key = config.AGENT_CARD_KEY;
  const certificates = await CertificateFiles.open(config, logger);
  const a2a = createA2a({
    methods,
    dialects,
    skills,
    executor,
    tasks: tasksInMemory(),
    card: { queryLanguages: ['graphql', 'cypher'] },
    url: () => base,
    authenticate: async () => localPrincipal,
    certificates,
    signingKey: key === undefined ? undefined : await signingKey(key),
    config,
    instruments: metrics.instruments,
    logger,
    oversight: {},
    ...options.a2a,
  });
  const { endpoint } = a2a;
  const agentOs: AgentOs = createAgentOs({
    find: ownAgents(skills),
    core: a2a.core,
    subscribe: methods.streaming.get('knowledge/subscribe') ?? (async () => (async function* () {})()),
    authenticate: options.a2a?.authenticate ?? (async () => localPrincipal),
    identities: false,
    slots: new Slots({
      what: 'sockets',
      perAgent: config.SUBSCRIPTION_MAX_CONCURRENT,
      inAll: config.SUBSCRIPTION_MAX_OPEN,
    }),
    config,
    instruments: metrics.instruments,
    logger,
    oversight: {},
  });
  const restDialect = createRestDialect({
    core: a2a.core,
    authenticate: options.a2a?.authenticate ?? (async () => localPrincipal),
    identities: false,
    ...{ skills, config, instruments: metrics.instruments, logger, oversight: {} },
  });
  const app = createApp({
    ...a2a,
    agentOs: agentOs.handler,
    restDialect,
    openApi: openApiRouter(openApi(a2a.methods, false)),
    schemaSdl: () => 'type Query { ok: Boolean }',
    health: async () => ({ ready: true, checks: {} }),
    draining: () => endpoint.draining,
    metrics,
    logger,
    operationsApart: false,
    origins: new Set(),
    mount: {},
    ...options.app,
  });
  const listening: Listening = await listen(app, config, { certificates });
  base = listening.url;
  serveSockets(listening.server, [agentOs.sockets.route], { identities: false });
  const grpc = await a2a.listenGrpc();
  const url = `${listening.url}/a2a`;
  return {
    url,
    endpoint,
    listening,
    ...(grpc && { grpc: grpc.address }),
    log,
    post: (body, init) =>
      fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        ...init,
      }),
    metrics: async () => (await fetch(`${listening.url}/metrics`)).text(),
    async close() {
      await Promise.all([endpoint.close(), agentOs.sockets.close()]);
      await grpc?.close();
      await listening.close();
      await certificates?.close();
      await executor.close();
      await metrics.close();
    },
  };
}

/** A JSON-RPC response, of which a test reads the part that it expects. */
export interface Answer {
  id: unknown;
  result: Record<string, unknown>;
  error: { code: number; message: string; data: Record<string, unknown> };
}

/** The body of a response, as the shape that the test expects. */
export const json = async <T = Answer>(response: Response | Promise<Response>): Promise<T> =>
  (await (await response).json()) as T;

/** GET with headers that fetch does not let one set, or sets itself. */
export function rawGet(url: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });
}

/** A request for `method`, with id 1 unless said otherwise. */
export const call = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** Waits until `condition` holds, for at most three seconds. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('It did not come about within a minute');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
