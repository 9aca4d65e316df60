import { withAgents } from '../agents/graphql.ts';
import { Slots } from '../calls/slots.ts';
import { ChangeFeed } from '../changes/feed.ts';
import { withNames } from '../graph/names/closed.ts';
import { projectedFieldsOf } from '../graph/qualify/qualifier.ts';
import { QualifierThread } from '../graph/qualify/qualifierThread.ts';
import type { ReadParts } from '../graph/reading/readTransaction.ts';
import { warmUp } from '../graph/setup/warmUp.ts';
import { StatementReader } from '../graph/statements/statementReader.ts';
import { logRetention } from '../graph/updates/logRetention.ts';
import type { ClassesOf } from '../knowledge/closed/closedStatements.ts';
import type { ClosedTo } from '../knowledge/conditions.ts';
import { Operations } from '../knowledge/query/operations.ts';
import { queryMethod } from '../knowledge/query/query.ts';
import { QueryLimits } from '../knowledge/query/queryLimits.ts';
import { ChangeClasses } from '../knowledge/subscribe/changeClasses.ts';
import { withClassChanges } from '../knowledge/subscribe/classChanges.ts';
import { changeFollower } from '../knowledge/subscribe/follow.ts';
import { classesReader } from '../knowledge/subscribe/live/classesRead.ts';
import { queryFollower } from '../knowledge/subscribe/live/liveQueries.ts';
import { snapshotReader } from '../knowledge/subscribe/snapshot.ts';
import { changesMethod, subscribeMethod } from '../knowledge/subscribe/subscribe.ts';
import { withHistory } from '../schema/history.ts';
import { withSoundValues } from '../schema/scalars.ts';
import { buildSchema } from '../schema/schema.ts';
import { withSubscriptions } from '../schema/subscription.ts';
import { sparing } from '../telemetry/logger.ts';
import { literalFieldsOf } from '../vocabulary/vocabulary.ts';
import type { Agents } from './agents.ts';
import type { Foundation } from './foundation.ts';
import type { Identity } from './identity.ts';
import type { Storage } from './storage.ts';

/** What answers those who read, and tells them what changes. */
export type Reading = Awaited<ReturnType<typeof openReading>>;

export async function openReading(foundation: Foundation, identity: Identity, storage: Storage, agents: Agents) {
  const { config, closing } = foundation;
  const { vocabulary, dictionary, database } = storage;
  const defaultLimit = config.QUERY_DEFAULT_LIMIT;
  const ofKnowledge = withSoundValues(withHistory(await buildSchema(vocabulary, dictionary, defaultLimit)));
  const schema = withClassChanges(withSubscriptions(withAgents(ofKnowledge, agents)), vocabulary);
  const closedTo: ClosedTo = (principal) => {
    const closed = identity.policy?.closedTo(principal);
    return closed && withNames(closed, dictionary);
  };
  const classesOf: ClassesOf = (tenant, ids) =>
    database.read((tx) => new StatementReader(tx, tenant, dictionary).entities(ids), config.QUERY_TIMEOUT_MS);
  const qualifier = closing.add(new QualifierThread(projectedFieldsOf(literalFieldsOf(vocabulary), dictionary)));
  const read = readParts(foundation, storage, qualifier);
  const limits = new QueryLimits(schema, {
    maxDepth: config.QUERY_MAX_DEPTH,
    maxCost: config.QUERY_MAX_COST,
    defaultLimit,
    maxConcurrent: config.QUERY_MAX_CONCURRENT,
  });
  await warmUp(schema, database);
  const feed = openFeed(foundation, storage);
  const { queriesInFlight, slowSubscribers } = foundation.instruments;
  queriesInFlight.addCallback((gauge) => gauge.observe(limits.inFlight));
  slowSubscribers.addCallback((gauge) => gauge.observe(feed.behind.size));
  keepLogShort(foundation, storage);
  const { INTROSPECTION: introspection, CYPHER: takesCypher = !identity.required } = config;
  const operations = new Operations(schema, { introspection, maxDepth: limits.maxDepth });
  const classes = new ChangeClasses(feed, classesOf);
  const followParts = {
    feed,
    schema,
    operations,
    closedTo,
    classes,
    buffer: config.SUBSCRIBER_BUFFER,
    now: Date.now,
    readSnapshot: snapshotReader({ ...read, closedTo, now: Date.now }),
  };
  const following = (perAgent: number, inAll: number) =>
    changeFollower({ ...followParts, slots: new Slots({ what: 'subscriptions', perAgent, inAll }) });
  const follow = following(config.SUBSCRIPTION_MAX_CONCURRENT, config.SUBSCRIPTION_MAX_OPEN);
  const changes = changesMethod(follow);
  const query = queryMethod({
    ...read,
    ...{ schema, operations, limits, takesCypher, closedTo },
    now: Date.now,
    seesEdits: () => config.CAPTURE === 'off' || storage.capture.state.isSeen,
  });
  const followQuery = queryFollower({
    feed,
    query,
    operations,
    classesRead: classesReader(schema, vocabulary),
    classesOf: (tenant) => classes.reader(tenant),
    closedTo,
    slots: new Slots({
      what: 'live-queries',
      perAgent: config.LIVE_QUERY_MAX_CONCURRENT,
      inAll: config.LIVE_QUERY_MAX_OPEN,
    }),
    intervalMs: config.LIVE_QUERY_INTERVAL_MS,
  });
  return {
    schema,
    introspection,
    /** Whether agents may send Cypher. */
    takesCypher,
    limits,
    read,
    closedTo,
    classesOf,
    feed,
    follow,
    /** For subscriptions that are kept, which are counted when they are created. */
    followKept: following(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
    query,
    changes,
    subscribe: subscribeMethod(follow, followQuery, operations),
  };
}

function readParts(
  { config, instruments, logger }: Foundation,
  { reader }: Storage,
  qualifier: QualifierThread,
): ReadParts {
  return {
    database: reader,
    qualifier,
    onUnconfined: (rule) => {
      instruments.queriesUnconfined.add(1);
      logger.error({ rule }, 'a query was rewritten to a text that is not confined, and was not run');
    },
    timeoutMs: config.QUERY_TIMEOUT_MS,
    maxRows: config.QUERY_MAX_ROWS,
    maxBytes: config.QUERY_MAX_BYTES,
  };
}

/** Where a setting says how long a log may be. */
function keepLogShort({ config, logger, closing }: Foundation, { database }: Storage): void {
  const { CHANGE_RETENTION_HOURS: hours, CHANGE_RETENTION_COUNT: count } = config;
  if (hours === undefined && count === undefined) return;
  const sweep = logRetention(database, {
    retention: { ...(hours !== undefined && { ageMs: hours * 3_600_000 }), ...(count !== undefined && { count }) },
    now: Date.now,
    onError: sparing(logger, 'changes that have had their time cannot be removed from the log'),
  });
  closing.add(sweep).start();
}

function openFeed({ config, instruments, logger, closing }: Foundation, { database }: Storage): ChangeFeed {
  const feed = new ChangeFeed(database, {
    pollMs: config.FEED_POLL_MS,
    idlePollMs: config.FEED_IDLE_POLL_MS,
    onError: sparing(logger, 'the change feed cannot read the change log'),
  });
  instruments.feedLag.addCallback((lag) => lag.observe(feed.lagSeconds()));
  closing.add(feed).start();
  return feed;
}
