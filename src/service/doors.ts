import { randomUUID } from 'node:crypto';
import type { AgentExecutor } from '@a2a-js/sdk/server';
import { type A2a, createA2a } from '../a2a/a2a.ts';
import type { TaskParts } from '../a2a/handler/handler.ts';
import { bodyLimits } from '../a2a/protocol/body.ts';
import { threadRows } from '../agents/delegation/nodes/threadTasks.ts';
import { openWorkflows } from '../agents/workflows/workflows.ts';
import { createGateway } from '../agui/gateway.ts';
import type { Methods, UnaryMethod } from '../calls/call.ts';
import { Slots } from '../calls/slots.ts';
import { createAgentOs } from '../dialects/agentos/agentOs.ts';
import { ownAgents } from '../dialects/agentos/agents.ts';
import { dialects } from '../dialects/dialects.ts';
import { createRestDialect } from '../dialects/rest/rest.ts';
import { entityResults } from '../graphql/entityResults.ts';
import { createGraphqlServer } from '../graphql/server.ts';
import { createSockets, type SocketParts, type Sockets } from '../graphql/sockets.ts';
import { createApp } from '../http/app.ts';
import { type Listening, listen } from '../http/listen.ts';
import { createOperationsApp, type OperationsParts } from '../http/operations.ts';
import { serveSockets } from '../http/upgrades.ts';
import { queryLanguages } from '../knowledge/query/query.ts';
import type { Oversight } from '../limits/oversight.ts';
import { openApi } from '../openapi/openApi.ts';
import { openApiRouter } from '../openapi/openApiRouter.ts';
import { configuredModel } from '../questions/model/chatModel.ts';
import type { Model } from '../questions/model/model.ts';
import { printedSchema } from '../schema/schema.ts';
import type { Authenticate } from '../security/authenticator.ts';
import type { CertificateFiles } from '../security/certificateFiles.ts';
import type { Skills } from '../skills/skill.ts';
import { SkillExecutor } from '../skills/skillExecutor.ts';
import { builtInSkills } from '../skills/skills.ts';
import type { Address } from './address.ts';
import type { Agents } from './agents.ts';
import { Departure } from './departure.ts';
import type { Foundation } from './foundation.ts';
import { openHealth } from './health.ts';
import { authenticator, type Identity, recallKept } from './identity.ts';
import { openOne } from './one.ts';
import { openOversight } from './oversight.ts';
import type { Reading } from './reading.ts';
import { openSourceSkills } from './sources.ts';
import type { Storage } from './storage.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { OpenTasks } from './tasks.ts';
import type { Writing } from './writing.ts';

/** What may be put in the place of Concord's own. */
export interface ServiceParts {
  /** What executes tasks, in the place of Concord's skills. */
  executor?: AgentExecutor;
  /** Over the parts that keep tasks in Neo4j. */
  tasks?: Partial<TaskParts>;
}

/** What stands behind the doors. */
export interface Rooms {
  foundation: Foundation;
  identity: Identity;
  storage: Storage;
  reading: Reading;
  tasks: OpenTasks;
  writing: Writing;
  subscriptions: Subscriptions;
  agents: Agents;
  address: Address;
}

/** Where it listens. */
export interface OpenDoors {
  url: string;
  /** For gRPC, as `host:port`; absent where GRPC_PORT isn't set. */
  grpc?: string;
  /** Where operators have a port of their own; absent where OPERATIONS_PORT isn't set. */
  operations?: string;
}

/** Opens HTTP, with A2A, GraphQL and its sockets, and gRPC where it is set. What is asked from now on is answered. */
export async function openDoors(rooms: Rooms, parts: ServiceParts): Promise<OpenDoors> {
  const { foundation, identity, storage, reading, address } = rooms;
  const { config, instruments, logger, metrics, closing } = foundation;
  const { required: identities, certificates } = identity;
  const authenticate = authenticator(foundation, identity, storage.database);
  const oversight = await openOversight(foundation, storage.database);
  const entities = entityResults(reading);
  const graphqlServer = closing.add(await openGraphql(rooms, authenticate, entities, oversight));
  const model = configuredModel(config, { instruments, rates: oversight.rates });
  const { a2a, skills } = openA2a(rooms, authenticate, parts, { oversight, model });
  const { SUBSCRIPTION_MAX_CONCURRENT: perAgent, SUBSCRIPTION_MAX_OPEN: inAll } = config;
  const slots = new Slots({ what: 'sockets', perAgent, inAll });
  const agentOs = createAgentOs({
    find: ownAgents(skills),
    core: a2a.core,
    subscribe: reading.subscribe,
    ...{ authenticate, identities, slots, config, instruments, logger, oversight },
  });
  const restDialect = createRestDialect({
    ...{ core: a2a.core, skills, authenticate, identities, config, instruments, logger, oversight },
  });
  const one = openOne(rooms, { core: a2a.core, skills, authenticate, oversight });
  const gateway = createGateway({
    ...a2a.core,
    ...{ find: rooms.agents.find, list: rooms.agents.list, model, answers: skills.has('ask') },
    rowsOf: (tenant, asked) => threadRows(storage.database, tenant, asked),
    ...{ authenticate, instruments, logger, oversight },
    bodyLimits: bodyLimits(config.MAX_BODY_BYTES, identities),
    heartbeatMs: config.HEARTBEAT_MS,
  });
  const sdl = reading.introspection ? printedSchema(reading.schema) : undefined;
  const departure = new Departure(config.DRAIN_DELAY_MS);
  const draining = () => departure.hasBegun || a2a.endpoint.draining;
  const shown = { schemaSdl: () => sdl, health: openHealth(foundation, storage, reading), metrics, logger, identities };
  const operations = await openOperations(foundation, { ...shown, draining }, certificates);
  const proxies = config.TRUSTED_PROXIES;
  const certificateProxies = config.CLIENT_CERT_HEADER ? proxies : undefined;
  const guarded = { rates: oversight.rates, proxies, certificateProxies };
  const app = createApp({
    ...a2a,
    ...shown,
    draining,
    agentOs: agentOs.handler,
    restDialect,
    one,
    protectedResource:
      identity.tokens && config.JWT_ISSUER !== undefined
        ? { issuer: config.JWT_ISSUER, url: () => address.url }
        : undefined,
    openApi: openApiRouter(openApi(a2a.methods, identities)),
    gateway,
    ...(identities && { authenticate }),
    origins: config.CORS_ALLOWED_ORIGINS,
    ...guarded,
    operationsApart: operations !== undefined,
    mount: { '/graphql': graphqlServer.handler },
  });
  const listening = closing.add(await listen(app, config, { identities, certificates }));
  address.listening(listening.url);
  const grpc = await a2a.listenGrpc();
  if (grpc) closing.add(grpc);
  const sockets = openSockets(rooms, { authenticate, slots, entities, oversight });
  const ofGraphql = (path: string) => (path === '/graphql' ? sockets.accept : undefined);
  const origins = config.CORS_ALLOWED_ORIGINS;
  serveSockets(listening.server, [ofGraphql, agentOs.sockets.route], { identities, origins, ...guarded });
  const { closeStreams } = graphqlServer;
  closing.add({
    close: () => Promise.all([a2a.endpoint.close(), sockets.close(), agentOs.sockets.close(), closeStreams()]),
  });
  // The last to be opened is the first to be closed.
  closing.add(departure);
  return {
    url: listening.url,
    ...(grpc && { grpc: grpc.address }),
    ...(operations && { operations: operations.url }),
  };
}

/** Opened before the doors of callers and closed after them, so that it tells that they drain. */
async function openOperations(
  { config, closing }: Foundation,
  parts: OperationsParts,
  certificates: CertificateFiles | undefined,
): Promise<Listening | undefined> {
  const { OPERATIONS_PORT: port } = config;
  if (port === undefined) return undefined;
  const app = createOperationsApp(parts);
  const options = { identities: parts.identities, certificates, setting: 'OPERATIONS_PORT' } as const;
  return closing.add(await listen(app, { ...config, PORT: port }, options));
}

function openGraphql(
  { foundation, reading }: Rooms,
  authenticate: Authenticate,
  entities: ReturnType<typeof entityResults>,
  oversight: Oversight,
): ReturnType<typeof createGraphqlServer> {
  const { schema, introspection, limits, closedTo, read, follow } = reading;
  const { config, instruments, logger } = foundation;
  return createGraphqlServer({
    ...read,
    schema,
    introspection,
    limits,
    instruments,
    authenticate,
    closedTo,
    now: Date.now,
    maxBodyBytes: config.MAX_BODY_BYTES,
    follow,
    entities,
    logger,
    oversight,
    heartbeatMs: config.HEARTBEAT_MS,
    shutdownMs: config.SHUTDOWN_MS,
  });
}

function openSockets(
  { foundation, reading }: Rooms,
  parts: Pick<SocketParts, 'authenticate' | 'slots' | 'entities' | 'oversight'>,
): Sockets {
  const { config, instruments, logger } = foundation;
  return createSockets({
    ...parts,
    ...{ schema: reading.schema, follow: reading.follow, instruments, logger },
    maxMessageBytes: config.MAX_BODY_BYTES,
    heartbeatMs: config.HEARTBEAT_MS,
    shutdownMs: config.SHUTDOWN_MS,
  });
}

function openA2a(
  rooms: Rooms,
  authenticate: Authenticate,
  parts: ServiceParts,
  { oversight, model }: { oversight: Oversight; model: Model | undefined },
): { a2a: A2a; skills: Skills } {
  const { foundation, identity, storage, reading, tasks, writing, subscriptions, agents, address } = rooms;
  const { config, instruments, logger, closing } = foundation;
  const { query, changes, subscribe, schema, closedTo, introspection } = reading;
  const { update, review, purge, validate } = writing;
  const methods: Methods = {
    unary: new Map<string, UnaryMethod>([
      ['knowledge/query', query],
      ['knowledge/update', update],
      ['knowledge/review', review],
      ['knowledge/purge', purge],
      ['knowledge/subscriptions', subscriptions.method],
      ...agents.methods,
    ]),
    streaming: new Map([['knowledge/subscribe', subscribe]]),
  };
  const { database, vocabulary } = storage;
  const builtIn = builtInSkills({
    ...{ query, update, validate, subscribe: changes },
    ...{ database, schema, vocabulary, closedTo, config, model },
  });
  const coordinate = openWorkflows({
    ...{ database, config, logger, skills: builtIn, store: agents.store, find: agents.find },
    inner: tasks.inner,
    recall: recallKept(foundation, identity, database),
  });
  const takesSql = config.SOURCE_SQL ?? !identity.required;
  const ofSources =
    config.SOURCES &&
    openSourceSkills({
      addresses: config.SOURCES,
      database,
      update,
      closedTo,
      takesSql,
      ask: builtIn.get('ask'),
      timeoutMs: config.QUERY_TIMEOUT_MS,
      logger,
      closing,
    });
  const skills: Skills = new Map([
    ...builtIn,
    ...(ofSources ?? []),
    ['delegate', agents.delegate(update)],
    ['coordinate', coordinate],
  ]);
  const executor = closing.add(
    new SkillExecutor({
      skills,
      timeoutMs: config.TASK_TIMEOUT_MS,
      maxArtifactBytes: config.TASK_MAX_ARTIFACT_BYTES,
      logger,
      kept: tasks.kept,
      alongside: tasks.alongside,
      uuid: randomUUID,
      now: Date.now,
    }),
  );
  if (!parts.executor) tasks.resumedBy(executor);
  const a2a = createA2a({
    methods,
    dialects,
    skills,
    executor: parts.executor ?? executor,
    tasks: { ...tasks, ...parts.tasks },
    card: {
      queryLanguages: queryLanguages(reading.takesCypher),
      introspection,
      identities: identity.required,
      mutualTls: identity.holders !== undefined,
    },
    url: () => address.url,
    authenticate,
    signingKey: identity.signingKey,
    encryptionKey: identity.encryptionKey,
    certificates: identity.certificates,
    config,
    instruments,
    logger,
    oversight,
  });
  return { a2a, skills };
}
