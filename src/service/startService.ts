import { randomUUID } from 'node:crypto';
import type { AgentExecutor } from '@a2a-js/sdk/server';
import { createA2a } from '../a2a/a2a.ts';
import type { TaskParts } from '../a2a/handler/handler.ts';
import { Alignment } from '../alignment/alignment.ts';
import { loadRules } from '../alignment/rule.ts';
import { ConcordError, ErrorCode } from '../base/errors.ts';
import type { Methods } from '../calls/call.ts';
import { ChangeFeed } from '../changes/feed.ts';
import type { Config } from '../config/config.ts';
import { Database } from '../graph/database/database.ts';
import { connectReader } from '../graph/database/reader.ts';
import { withNames } from '../graph/names/closed.ts';
import { Dictionary } from '../graph/names/dictionary.ts';
import { projectedFieldsOf } from '../graph/qualify/qualifier.ts';
import { QualifierThread } from '../graph/qualify/qualifierThread.ts';
import type { ReadParts } from '../graph/reading/readTransaction.ts';
import { requireApoc } from '../graph/setup/apoc.ts';
import { installVocabulary } from '../graph/setup/installVocabulary.ts';
import { inspect, lineOf } from '../graph/setup/looseSettings.ts';
import { migrate } from '../graph/setup/migrations.ts';
import { recordTrust } from '../graph/setup/trust.ts';
import { warmUp } from '../graph/setup/warmUp.ts';
import { StatementReader } from '../graph/statements/statementReader.ts';
import { createGraphqlServer } from '../graphql/server.ts';
import { createSockets } from '../graphql/sockets.ts';
import { createApp } from '../http/app.ts';
import { createHealth } from '../http/health.ts';
import { listen } from '../http/listen.ts';
import { serveSockets } from '../http/upgrades.ts';
import type { ClassesOf } from '../knowledge/closed/closedStatements.ts';
import type { ClosedTo } from '../knowledge/conditions.ts';
import { queryLanguages, queryMethod } from '../knowledge/query/query.ts';
import { QueryLimits } from '../knowledge/query/queryLimits.ts';
import { changeFollower } from '../knowledge/subscribe/follow.ts';
import { subscribeMethod } from '../knowledge/subscribe/subscribe.ts';
import { startNeo4j } from '../neo4jServer/server.ts';
import { PushSender } from '../push/pushSender.ts';
import { withHistory } from '../schema/history.ts';
import { buildSchema, printedSchema } from '../schema/schema.ts';
import { withSubscriptions } from '../schema/subscription.ts';
import { ApiKeyStore } from '../security/apiKeyStore.ts';
import { apiKeyVerifier } from '../security/apiKeyVerifier.ts';
import { type Authenticate, createAuthenticator } from '../security/authenticator.ts';
import { configuredTokens } from '../security/configuredTokens.ts';
import { PolicyFile } from '../security/policyFile.ts';
import { localPrincipal } from '../security/principal.ts';
import { keySetUrl, signingKey as readSigningKey } from '../security/signingKey.ts';
import { SkillExecutor } from '../skills/skillExecutor.ts';
import { builtInSkills } from '../skills/skills.ts';
import { taskSweep } from '../tasks/running/taskSweep.ts';
import { createTasks } from '../tasks/tasks.ts';
import { createLogger, type Logger, sparing } from '../telemetry/logger.ts';
import { startMetrics } from '../telemetry/metrics.ts';
import { startTracing } from '../telemetry/tracing.ts';
import { readVocabulary } from '../vocabulary/read.ts';
import { literalFieldsOf, predicatesOf } from '../vocabulary/vocabulary.ts';
import { startWriting } from './writing.ts';

/** A running Concord. */
export interface Service {
  /** Where it listens. */
  url: string;
  /** Where it listens for gRPC, as `host:port`; absent where GRPC_PORT isn't set. */
  grpc?: string;
  neo4j: { uri: string; user: string; password: string; browserUrl?: string };
  logger: Logger;
  /** Drains, stops and closes everything that was started, in reverse order. */
  close(): Promise<void>;
}

/** What may be put in the place of Concord's own. */
export interface ServiceParts {
  /** What executes tasks, in the place of Concord's skills. */
  executor?: AgentExecutor;
  /** Over the parts that keep tasks in Neo4j. */
  tasks?: Partial<TaskParts>;
}

/**
 * Builds every part from the configuration, in order. What was started is closed again if a later part fails.
 * @param report told in words what takes a while
 * @throws StartupError
 */
export async function startService(
  config: Config,
  report: (line: string) => void = () => {},
  { executor, tasks: otherTasks }: ServiceParts = {},
): Promise<Service> {
  const started: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const stop of started.splice(0).reverse()) await stop();
  };
  try {
    const logger = createLogger(config.LOG_LEVEL);
    const tracing = startTracing();
    started.push(() => tracing.close());
    const metrics = startMetrics();
    started.push(() => metrics.close());
    const { instruments } = metrics;

    const vocabulary = await readVocabulary(config.VOCABULARY);
    const rules = await loadRules(config.RULES);
    const policy = config.POLICY === undefined ? undefined : await PolicyFile.open(config.POLICY, logger);
    if (policy) started.push(() => policy.close());
    const tokens = await configuredTokens(
      config,
      sparing(logger, 'the key set of JWT_JWKS_URL cannot be had'),
    );
    const { AGENT_CARD_KEY } = config;
    const signingKey = AGENT_CARD_KEY === undefined ? undefined : await readSigningKey(AGENT_CARD_KEY);
    const identities = tokens !== undefined || config.API_KEYS;

    const neo4j = await startNeo4j(config, report);
    started.push(() => neo4j.close());
    const database = new Database({ ...neo4j, database: config.NEO4J_DATABASE }, instruments);
    started.push(() => database.close());
    const reader = await connectReader(config, neo4j, database, instruments);
    if (reader) started.push(() => reader.close());
    if (neo4j.kind !== 'embedded') await warnOfLooseSettings(database, config, logger);
    await requireApoc(database);
    await migrate(database);

    const dictionary = await Dictionary.load(database);
    await installVocabulary(database, dictionary, vocabulary, report);
    await recordTrust(database, config.TENANTS ?? [localPrincipal.tenant], config.AGENT_TRUST);
    const functional = [...predicatesOf(vocabulary).values()].filter(({ field }) => field.functional);
    const functionalTypes = functional.map(({ iri }) => dictionary.relationshipType(iri));
    const alignment = await Alignment.prepare(database, rules, functionalTypes);
    const schema = withSubscriptions(withHistory(await buildSchema(vocabulary, dictionary)));
    const closedTo: ClosedTo = (principal) => {
      const closed = policy?.closedTo(principal);
      return closed && withNames(closed, dictionary);
    };
    const classesOf: ClassesOf = (tenant, ids) =>
      database.read(
        (tx) => new StatementReader(tx, tenant, dictionary).entities(ids),
        config.QUERY_TIMEOUT_MS,
      );
    const qualifier = new QualifierThread(projectedFieldsOf(literalFieldsOf(vocabulary), dictionary));
    started.push(() => qualifier.close());
    const reading: ReadParts = {
      database: reader ?? database,
      qualifier,
      onUnconfined: (rule) => {
        instruments.queriesUnconfined.add(1);
        logger.error({ rule }, 'a query was rewritten to a text that is not confined, and was not run');
      },
      timeoutMs: config.QUERY_TIMEOUT_MS,
      maxRows: config.QUERY_MAX_ROWS,
      maxBytes: config.QUERY_MAX_BYTES,
    };
    const limits = new QueryLimits(schema, {
      maxDepth: config.QUERY_MAX_DEPTH,
      maxCost: config.QUERY_MAX_COST,
      maxConcurrent: config.QUERY_MAX_CONCURRENT,
    });
    await warmUp(schema, database);

    const feed = new ChangeFeed(database, {
      pollMs: config.FEED_POLL_MS,
      onError: sparing(logger, 'the change feed cannot read the change log'),
    });
    instruments.feedLag.addCallback((lag) => lag.observe(feed.lagSeconds()));
    feed.start();
    started.push(() => feed.close());

    const sweep = taskSweep(database, {
      keptMs: config.TASK_RETENTION_HOURS * 3_600_000,
      now: Date.now,
      onError: sparing(logger, 'old tasks cannot be removed'),
    });
    sweep.start();
    started.push(() => sweep.close());

    const tasks = createTasks({
      database,
      onError: sparing(logger, 'tasks cannot be looked after'),
      notify: (ended) => pushSender.tell(ended),
    });
    let url = '';
    const publicUrl = () => config.PUBLIC_URL ?? url;
    const pushSender = new PushSender({
      store: tasks.pushStore,
      allowed: config.PUSH_ALLOW,
      signing: () => signingKey && { key: signingKey, issuer: publicUrl(), jku: keySetUrl(publicUrl()) },
      instruments,
      logger,
    });
    // The tasks that end with the service have events, too.
    started.push(() => pushSender.close());
    started.push(() => tasks.close());

    const writing = startWriting({
      database,
      dictionary,
      alignment,
      vocabulary,
      closedTo,
      classesOf,
      endReviewed: tasks.endReviewed,
      feed,
      config,
      instruments,
      logger,
      uuid: randomUUID,
      now: Date.now,
    });
    started.push(() => writing.close());

    const { INTROSPECTION: introspection, CYPHER: takesCypher = !identities } = config;
    const follow = changeFollower({
      feed,
      schema,
      introspection,
      maxDepth: limits.maxDepth,
      closedTo,
      classesOf,
      buffer: config.SUBSCRIBER_BUFFER,
    });
    const query = queryMethod({
      ...reading,
      schema,
      limits,
      takesCypher,
      introspection,
      closedTo,
      now: Date.now,
    });
    const subscribe = subscribeMethod(follow);
    const methods: Methods = {
      unary: new Map([
        ['knowledge/query', query],
        ['knowledge/update', writing.update],
        ['knowledge/review', writing.review],
        ['knowledge/purge', writing.purge],
      ]),
      streaming: new Map([['knowledge/subscribe', subscribe]]),
    };
    const skills = builtInSkills({
      query,
      update: writing.update,
      validate: writing.validate,
      subscribe,
      database,
      schema,
      vocabulary,
      closedTo,
      config,
    });
    const authenticate: Authenticate = identities
      ? createAuthenticator({
          tokens,
          apiKeys: config.API_KEYS ? apiKeyVerifier(new ApiKeyStore(database)) : undefined,
          tenants: config.TENANTS,
          refused: (reason) => instruments.authenticationFailures.add(1, { reason }),
        })
      : async () => localPrincipal;
    const graphqlServer = await createGraphqlServer({
      ...reading,
      schema,
      introspection,
      limits,
      instruments,
      authenticate,
      closedTo,
      now: Date.now,
      maxBodyBytes: config.MAX_BODY_BYTES,
    });
    started.push(() => graphqlServer.close());

    const skillExecutor = new SkillExecutor({
      skills,
      timeoutMs: config.TASK_TIMEOUT_MS,
      maxArtifactBytes: config.TASK_MAX_ARTIFACT_BYTES,
      logger,
      uuid: randomUUID,
      now: Date.now,
    });
    started.push(() => skillExecutor.close());
    const sdl = introspection ? printedSchema(schema) : undefined;
    const a2a = createA2a({
      methods,
      skills,
      executor: executor ?? skillExecutor,
      tasks: {
        ...tasks,
        push: {
          store: tasks.pushStore,
          sender: pushSender,
          async requireReceiver(receiver, context) {
            await pushSender.requireReceiver(receiver);
            await tasks.pushStore.requireRoom(receiver, context);
          },
        },
        ...otherTasks,
      },
      card: { queryLanguages: queryLanguages(takesCypher), introspection, identities },
      url: publicUrl,
      authenticate,
      signingKey,
      config,
      instruments,
      logger,
    });
    const { endpoint } = a2a;
    const app = createApp({
      ...a2a,
      schemaSdl: () => sdl,
      health: createHealth(
        {
          neo4j: async () => void (await database.run('READ', 'RETURN 1 AS one')),
          feed: async () => requireFresh(feed, config.FEED_STALE_MS),
        },
        logger,
      ),
      metrics,
      logger,
      identities,
      mount: { '/graphql': graphqlServer.handler },
    });
    const listening = await listen(app, config, identities);
    url = listening.url;
    started.push(() => listening.close());
    const grpc = await a2a.listenGrpc();
    if (grpc) started.push(() => grpc.close());
    const sockets = createSockets({
      schema,
      follow,
      authenticate,
      instruments,
      logger,
      maxMessageBytes: config.MAX_BODY_BYTES,
      heartbeatMs: config.HEARTBEAT_MS,
      shutdownMs: config.SHUTDOWN_MS,
    });
    serveSockets(listening.server, '/graphql', sockets.accept, { identities });
    started.push(async () => void (await Promise.all([endpoint.close(), sockets.close()])));
    const identity = identities
      ? 'Callers need credentials'
      : 'No identities are configured: one local principal, loopback only';
    logger.info(
      {
        url,
        ...(grpc && { grpc: grpc.address }),
        neo4j: neo4j.kind,
        classes: vocabulary.classes.length,
        rules: alignment.rules.length,
      },
      `Concord is ready. ${identity}`,
    );
    return { url, ...(grpc && { grpc: grpc.address }), neo4j, logger, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function warnOfLooseSettings(database: Database, config: Config, logger: Logger): Promise<void> {
  for (const finding of await inspect(database, config.NEO4J_HEAP)) {
    if (finding.state !== 'tight') logger.warn({ setting: finding.setting }, lineOf(finding));
  }
}

async function requireFresh(feed: ChangeFeed, staleMs: number): Promise<Record<string, unknown>> {
  const lagSeconds = Math.round(feed.lagSeconds() * 1_000) / 1_000;
  if (lagSeconds * 1_000 <= staleMs) return { lagSeconds };
  throw new ConcordError(ErrorCode.InternalError, `the feed has not seen the ledgers for ${lagSeconds} s`);
}
