import { type Attributes, createNoopMeter, type Meter } from '@opentelemetry/api';
import { version } from '../base/version.ts';
import { modelInstruments } from './modelInstruments.ts';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Everything that Concord counts. */
export type Instruments = ReturnType<typeof createInstruments>;

/**
 * Defines the instruments on a meter; without one, on a meter that keeps nothing. Labels take few values, all known
 * beforehand; what a caller sends is never one. Times are in seconds, as Prometheus has them.
 * @param options whether spans tell the text of queries
 */
export function createInstruments(meter: Meter = createNoopMeter(), { tellsQueryText = false } = {}) {
  const observed = (name: string, description: string) =>
    meter.createObservableGauge(`concord_${name}`, { description });
  observed('build_info', 'What runs; always 1').addCallback((info) =>
    info.observe(1, { version, node: process.version }),
  );
  const counter = <Labels extends Attributes>(name: string, description: string) =>
    meter.createCounter<Labels>(`concord_${name}`, { description });
  const seconds = <Labels extends Attributes>(name: string, description: string) =>
    meter.createHistogram<Labels>(`concord_${name}_seconds`, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: buckets },
    });
  return {
    tellsQueryText,
    /** `outcome` is `ok`, `cancelled` or the JSON-RPC error code; a method that there isn't is `unknown`. */
    requests: counter<{ method: string; outcome: string }>('requests', 'Calls answered'),
    /** Of a stream, until it is established or refused. */
    requestDuration: seconds<{ method: string; outcome: string }>('request_duration', 'Time to the answer'),
    openSubscriptions: meter.createUpDownCounter('concord_open_subscriptions', {
      description: 'Streams open now',
    }),
    closedSubscriptions: counter<{ reason: string }>('closed_subscriptions', 'Streams ended, by the reason'),
    eventsSent: counter('events_sent', 'Events written to streams'),
    statementsApplied: counter('statements_applied', 'Statements added, changed or removed'),
    /** `verdict` is `applied`, `unchanged`, `repeated`, `pending` or `rejected`. */
    updates: counter<{ verdict: string }>('updates', 'Updates answered, by the verdict'),
    editsTaken: counter('edits_taken', 'Edits by hand in Neo4j that became statements, or proposals'),
    /**
     * Observed and not set, so that a feed that stopped shows: `feedLag.addCallback((lag) => lag.observe(seconds))`.
     */
    feedLag: meter.createObservableGauge('concord_feed_lag_seconds', {
      description: 'Time since the change feed was last known to be complete',
      unit: 's',
    }),
    /** `reason` is one of those in `limitExceeded.ts`. */
    queriesRefused: counter<{ reason: string }>(
      'queries_refused',
      'Queries refused or stopped at a limit, by the reason',
    ),
    /** Each is a fault of Concord's. */
    queriesUnconfined: counter('queries_unconfined', 'Queries that were rewritten wrongly, found so, and not run'),
    queryDuration: seconds<{ access: 'read' | 'write'; outcome: 'ok' | 'failed' }>(
      'neo4j_query_duration',
      'Time in Neo4j',
    ),
    /** One for the connections of Concord, one more for those of the reader, where there is one. */
    neo4jAway: meter.createUpDownCounter('concord_neo4j_away', {
      description: 'Whether Neo4j is found not to answer, so that calls fail at once',
    }),
    /** `reason` is one of those that `docs/errors.md` has under 401 or 403, or `identities-unavailable`. */
    authenticationFailures: counter<{ reason: string }>(
      'authentication_failures',
      'Requests refused for who makes them, or for what that one may not do, by the reason',
    ),
    /** A session holds a connection while its transaction is under way. */
    neo4jSessions: meter.createUpDownCounter('concord_neo4j_sessions', {
      description: 'Sessions with Neo4j in use, those that wait for a connection too',
    }),
    neo4jConnectionsMost: meter.createUpDownCounter('concord_neo4j_connections_most', {
      description: 'Most connections to Neo4j that there may be',
    }),
    /** `policy` is `address`, `agent`, `method`, `day` or `tokens`. */
    rateLimited: counter<{ policy: string }>('rate_limited', 'Requests refused for a limit of their number'),
    limitStoreFailures: counter(
      'limit_store_failures',
      'Requests that the store of rate limits was to count and did not: the replica counted for itself',
    ),
    ...modelInstruments(meter),
    auditLost: counter('audit_lost', 'Entries of the audit trail that were not written: too many waited'),
    updatesWaiting: observed('updates_waiting', 'Updates that wait for their turn, of all tenants'),
    queriesInFlight: observed('queries_in_flight', 'Queries of callers under way'),
    /** Those that are left behind are `concord_closed_subscriptions_total{reason="slow-consumer"}`. */
    slowSubscribers: observed('slow_subscribers', 'Subscribers for whom more than a tenth of SUBSCRIBER_BUFFER waits'),
    /** `outcome` is `sent`, `failed`, or, of those that were not tried, `paused` or `overflow`. */
    pushNotifications: counter<{ outcome: string }>('push_notifications', 'Push notifications, by what became of them'),
    /** `outcome` is `delivered` or `failed`; each attempt counts. */
    webhookDeliveries: counter<{ outcome: string }>(
      'webhook_deliveries',
      'Attempts to deliver changes to the receiver of a subscription, by what became of them',
    ),
    webhookEvents: counter('webhook_events', 'Changes that receivers of subscriptions have acknowledged'),
    /** `reason` is one of those in `docs/subscribe.md`. */
    webhookPauses: counter<{ reason: string }>('webhook_pauses', 'Subscriptions with a receiver paused, by the reason'),
    /** `state` is `active` or `paused`; every replica tells the same of the whole graph. */
    webhooks: meter.createObservableGauge('concord_webhooks', {
      description: 'Subscriptions with a receiver, by their state',
    }),
  };
}
