import { setTimeout as sleep } from 'node:timers/promises';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { ChangeEvent, ConcordClient } from '../../../src/client/index.ts';
import { type ClassFilter, expectedEntities } from './classFilters.ts';
import { expectedLines, type Filter } from './filters.ts';
import { type Log, type LoggedStatement, lineOf } from './log.ts';
import { difference, type Following, type Kind, type Subscriber } from './subscriber.ts';

/** A change as it is told to who selects fields. */
interface Told {
  sequence: number;
  op: string;
  changeId: string;
  statement: { subject: { id: string }; predicate: string; object: LoggedStatement['object'] };
  after?: unknown;
}

interface Result {
  data?: Record<string, Told> | null;
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[];
}

/** One connection of a client that makes none anew by itself. */
interface Door {
  iterate(request: { query: string; variables: Record<string, unknown> }): AsyncIterableIterator<Result>;
  dispose(): void | Promise<void>;
}

const fields = 'sequence op changeId statement { subject { id } predicate object { id value } }';

/** Follows by the shipped client, from the cursor where its stream began. */
export async function overSse(client: ConcordClient, filter: Filter, following: Following): Promise<Subscriber> {
  const { requiredCertainty, where } = filter;
  const told: string[] = [];
  const failure: { error?: unknown } = {};
  const subscription = client.subscribe(
    'subscription ($where: StatementChangedWhere) { statementChanged(where: $where) { op } }',
    { where },
    {
      metadata: { requiredCertainty },
      onState: ({ phase }) => {
        if (phase === 'waiting') following.seen.add('stream begun again');
      },
    },
  );
  await subscription.ready();
  const begin = Number(subscription.cursor);
  const reading = (async () => {
    for await (const { op, statement, changeId, changeMetadata } of subscription as AsyncIterable<ChangeEvent>) {
      const { subject, predicate, object } = statement;
      told.push(
        lineOf({ sequence: changeMetadata.sequence, changeId, op }, [
          subject.id,
          predicate.id,
          object as LoggedStatement['object'],
        ]),
      );
      following.seen.add('SSE');
    }
  })().catch((error) => {
    failure.error = error;
  });
  return {
    kind: 'SSE',
    asks: JSON.stringify({ where, requiredCertainty }),
    fault: async (log) => faultOf(failure, expectedLines(log, filter, begin), told),
    async close() {
      await subscription.return();
      await reading;
    },
  };
}

/** Follows the statements over a socket, or over GraphQL's own event stream, each resumed by its argument. */
export function overGraphql(kind: 'WebSocket' | 'GraphQL over SSE', filter: Filter, following: Following): Subscriber {
  const { where, requiredCertainty } = filter;
  return resumed(kind, {
    asks: JSON.stringify({ where, requiredCertainty }),
    query: `subscription ($where: StatementChangedWhere, $after: Float) {
      statementChanged(where: $where, afterSequence: $after) { ${fields} }
    }`,
    variables: { where },
    requiredCertainty,
    expected: (log) => expectedLines(log, filter, following.begin),
    following,
  });
}

/** Follows the countries that meet a condition. */
export function ofClass(
  kind: 'class field over WebSocket' | 'class field over SSE',
  filter: ClassFilter,
  following: Following,
): Subscriber {
  return resumed(kind, {
    asks: JSON.stringify(filter.where),
    query: `subscription ($where: CountryWhere, $after: Float) {
      countryChanged(where: $where, afterSequence: $after) { ${fields} after { id population } }
    }`,
    variables: { where: filter.where },
    expected: (log) => expectedEntities(log, filter, following.begin),
    following,
  });
}

interface Asked {
  asks: string;
  query: string;
  variables: Record<string, unknown>;
  requiredCertainty?: number;
  expected(log: Log): string[];
  following: Following;
}

function resumed(kind: Kind, { asks, query, variables, requiredCertainty, expected, following }: Asked): Subscriber {
  const { url, headers, seen, begin } = following;
  const told: string[] = [];
  const failure: { error?: unknown } = {};
  const over = new AbortController();
  const door = kind.endsWith('WebSocket') ? socketTo(url, headers) : streamTo(url, requiredCertainty, headers);
  let after = begin;

  function take({ data, errors }: Result): void {
    for (const { sequence, op, changeId, statement, after: entity } of Object.values(data ?? {})) {
      const { subject, predicate, object } = statement;
      told.push(lineOf({ sequence, changeId, op }, [subject.id, predicate, object], entity));
      after = sequence;
      seen.add(kind);
    }
    const final = errors?.find(({ extensions }) => extensions?.retryable !== true);
    if (final) failure.error = final;
  }

  async function read(): Promise<void> {
    while (!over.signal.aborted && failure.error === undefined) {
      try {
        for await (const result of door.iterate({ query, variables: { ...variables, after } })) take(result);
      } catch (error) {
        // A socket says why it ends in a list of errors; anything else is a connection that was lost.
        if (Array.isArray(error)) take({ errors: error });
      }
      if (over.signal.aborted) return;
      seen.add('stream begun again');
      await sleep(200, undefined, { signal: over.signal }).catch(() => {});
    }
  }
  const reading = read();
  return {
    kind,
    asks,
    fault: async (log) => faultOf(failure, expected(log), told),
    async close() {
      over.abort();
      await door.dispose();
      await reading;
    },
  };
}

function socketTo(url: string, headers: Record<string, string> | undefined): Door {
  return createSocketClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    ...(headers && { connectionParams: headers }),
    retryAttempts: 0,
    connectionAckWaitTimeout: 20_000,
  }) as Door;
}

function streamTo(
  url: string,
  requiredCertainty: number | undefined,
  headers: Record<string, string> | undefined,
): Door {
  return createSseClient({
    url: `${url}/graphql`,
    headers: {
      ...headers,
      ...(requiredCertainty !== undefined && { 'x-required-certainty': String(requiredCertainty) }),
    },
    retryAttempts: 0,
  }) as unknown as Door;
}

function faultOf({ error }: { error?: unknown }, expected: string[], told: string[]): string | undefined {
  return error === undefined ? difference(expected, told) : `it ended: ${JSON.stringify(error)} ${error}`;
}
