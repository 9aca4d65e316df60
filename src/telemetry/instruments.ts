import {
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
  type ObservableGauge,
  type UpDownCounter,
} from '@opentelemetry/api';

/**
 * Everything that Concord counts. Labels take few values, all known beforehand; what a caller sends is never one.
 * Times are in seconds, as Prometheus has them.
 */
export interface Instruments {
  /** `outcome` is `ok`, `cancelled` or the JSON-RPC error code; a method that there isn't is `unknown`. */
  requests: Counter<{ method: string; outcome: string }>;
  /** Time to the answer; for a stream, until it is established or refused. */
  requestDuration: Histogram<{ method: string; outcome: string }>;
  openSubscriptions: UpDownCounter;
  closedSubscriptions: Counter<{ reason: string }>;
  eventsSent: Counter;
  statementsApplied: Counter;
  /** `verdict` is `applied`, `unchanged`, `repeated`, `pending` or `rejected`. */
  updates: Counter<{ verdict: string }>;
  /** Observed and not set, so that a feed that stopped shows: `feedLag.addCallback((lag) => lag.observe(seconds))`. */
  feedLag: ObservableGauge;
  /** Queries refused or stopped at a limit; `reason` is one of those in `limitExceeded.ts`. */
  queriesRefused: Counter<{ reason: string }>;
  /** Rewritten texts that were not confined, and not run: each is a fault of Concord's. */
  queriesUnconfined: Counter;
  queryDuration: Histogram<{ access: 'read' | 'write'; outcome: 'ok' | 'failed' }>;
  /** Requests refused for who makes them; `reason` is one of those in `security/refused.ts`. */
  authenticationFailures: Counter<{ reason: string }>;
  /** `outcome` is `sent`, `failed`, or, of those that were not tried, `paused` or `overflow`. */
  pushNotifications: Counter<{ outcome: string }>;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Defines the instruments on a meter; without one, on a meter that keeps nothing. */
export function createInstruments(meter: Meter = createNoopMeter()): Instruments {
  const seconds = (description: string) => ({
    description,
    unit: 's',
    advice: { explicitBucketBoundaries: buckets },
  });
  return {
    requests: meter.createCounter('concord_requests', { description: 'Calls answered' }),
    requestDuration: meter.createHistogram('concord_request_duration_seconds', seconds('Time to the answer')),
    openSubscriptions: meter.createUpDownCounter('concord_open_subscriptions', {
      description: 'Streams open now',
    }),
    closedSubscriptions: meter.createCounter('concord_closed_subscriptions', {
      description: 'Streams ended, by the reason',
    }),
    eventsSent: meter.createCounter('concord_events_sent', { description: 'Events written to streams' }),
    statementsApplied: meter.createCounter('concord_statements_applied', {
      description: 'Statements added, changed or removed',
    }),
    updates: meter.createCounter('concord_updates', { description: 'Updates answered, by the verdict' }),
    feedLag: meter.createObservableGauge('concord_feed_lag_seconds', {
      description: 'Time since the change feed was last known to be complete',
      unit: 's',
    }),
    queriesRefused: meter.createCounter('concord_queries_refused', {
      description: 'Queries refused or stopped at a limit, by the reason',
    }),
    queriesUnconfined: meter.createCounter('concord_queries_unconfined', {
      description: 'Queries that were rewritten wrongly, found so, and not run',
    }),
    queryDuration: meter.createHistogram('concord_neo4j_query_duration_seconds', seconds('Time in Neo4j')),
    authenticationFailures: meter.createCounter('concord_authentication_failures', {
      description: 'Requests refused for who makes them, by the reason',
    }),
    pushNotifications: meter.createCounter('concord_push_notifications', {
      description: 'Push notifications, by what became of them',
    }),
  };
}
