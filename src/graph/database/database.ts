import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import neo4j, {
  type AuthToken,
  type AuthTokenManager,
  type BookmarkManager,
  type Driver,
  Neo4jError,
  type QueryResult,
  type Record,
  type RecordShape,
  type Result,
  type Session,
} from 'neo4j-driver';
import { readSecret } from '../../config/secretFiles.ts';
import { createInstruments, type Instruments } from '../../telemetry/instruments.ts';
import { withSpan } from '../../telemetry/tracing.ts';
import { gatherWrites } from './gatheredWrites.ts';
import { leavesOpen, OutcomeUnknown } from './outcomeUnknown.ts';
import type { Queryable } from './queryable.ts';

/** What to tell the transaction log and the change triggers about Concord's own transactions. */
const metadata = { app: 'concord' };

/** What changes a whole graph may take longer than the server's own limit. */
const unlimited = { timeout: 0 };

/** Codes of a schema command that met the same one of another replica. */
const turnedAway =
  /^Neo\.(TransientError\.|ClientError\.Schema\.(EquivalentSchemaRule|Index|Constraint)AlreadyExists$)/;

/** Codes of a database that is down though Neo4j answers: after a full disk until Neo4j is started anew. */
const isDown = /^Neo\.DatabaseError\.Transaction\./;

/** Codes of who isn't let in, as against who isn't let do something. */
const refusesConcord = /^Neo\.ClientError\.Security\.(Unauthorized|CredentialsExpired|AuthenticationRateLimit)$/;

/** Where an address names none. */
const boltPort = 7687;

/** How to reach one Neo4j database. */
export interface DatabaseAddress {
  uri: string;
  user: string;
  password?: string;
  /** Where it is read anew, for it may change. */
  passwordFile?: string;
  database: string;
  /** At most; as many as the driver thinks right where absent. */
  connections?: number;
}

/** A read that may not have begun yet. */
export interface OpenRead {
  /** For what callers ask. */
  tx: Queryable;
  /** For what Concord itself asks. */
  own: Queryable;
  /** Ends the transaction, also in the middle of a query, and gives the connection back; waits for neither. */
  end(): void;
}

/**
 * One Neo4j database. All sessions share a bookmark manager, so that what this replica has written it also reads,
 * on a cluster as well.
 */
export class Database {
  readonly driver: Driver;
  /** What it has written, so that another user's sessions read that too. */
  readonly bookmarks: BookmarkManager;
  private readonly name: string;
  private readonly instruments: Instruments;
  private readonly ungather: () => void;

  /** @param bookmarks those of the same database under another user */
  constructor(
    { uri, user, password, passwordFile, database, connections }: DatabaseAddress,
    instruments = createInstruments(),
    bookmarks?: BookmarkManager,
  ) {
    const auth = passwordFile === undefined ? basicAuth(user, password) : rereadAuth(user, passwordFile);
    this.driver = neo4j.driver(uri, auth, {
      // Integers beyond 2^53 are refused at the door, so plain numbers are exact.
      disableLosslessIntegers: true,
      connectionTimeout: 5_000,
      connectionAcquisitionTimeout: 10_000,
      maxConnectionPoolSize: connections,
      maxTransactionRetryTime: 5_000,
      userAgent: 'concord',
    });
    this.ungather = gatherWrites(Number(new URL(uri).port || boltPort));
    this.bookmarks = bookmarks ?? this.driver.executeQueryBookmarkManager;
    this.name = database;
    this.instruments = instruments;
  }

  session(access: 'READ' | 'WRITE'): Session {
    return this.driver.session({
      database: this.name,
      defaultAccessMode: access,
      bookmarkManager: this.bookmarks,
    });
  }

  /** Runs one auto-commit query: for Concord's own bookkeeping and for schema commands. */
  async run<Row extends object>(
    access: 'READ' | 'WRITE',
    query: string,
    parameters = {},
    limits: { timeout?: number } = {},
  ): Promise<Row[]> {
    const session = this.session(access);
    try {
      const auto: Queryable = { run: (text, values) => session.run(text, values, { metadata, ...limits }) };
      const result = await traced(auto, access, this.instruments).run(query, parameters);
      return result.records.map((record) => record.toObject() as Row);
    } finally {
      await session.close();
    }
  }

  /**
   * Runs one auto-commit command that may run more than once, such as one that ends in `IF NOT EXISTS`. Of replicas
   * that give the same schema command at once, Neo4j locks some out and tells others that it is done, whatever `IF NOT
   * EXISTS` says; who is turned away tries again.
   */
  async ensure(command: string, parameters = {}): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.run('WRITE', command, parameters, unlimited);
        return;
      } catch (error) {
        if (attempt === 10 || !(error instanceof Neo4jError) || !turnedAway.test(error.code)) throw error;
        await sleep(Math.random() * 50 * attempt);
      }
    }
  }

  /**
   * Runs `work` in one write transaction and commits it; a transient fault runs it again. So does a connection that is
   * lost while committing: `work` must find out by itself whether its first run was committed.
   * @throws OutcomeUnknown where the commit was under way, and Neo4j didn't say how it has ended
   */
  async write<T>(work: (tx: Queryable) => Promise<T>, timeoutMs: number): Promise<T> {
    let isCommitting = false;
    const committed = async (tx: Queryable) => {
      const result = await work(tx);
      isCommitting = true;
      return result;
    };
    try {
      return await this.transact('WRITE', committed, timeoutMs);
    } catch (error) {
      // Of any of its runs: the last may not have come so far.
      throw isCommitting && leavesOpen(error) ? new OutcomeUnknown(error) : error;
    }
  }

  /** Runs `work` in one read transaction; a transient fault runs it again. */
  read<T>(work: (tx: Queryable) => Promise<T>, timeoutMs: number): Promise<T> {
    return this.transact('READ', work, timeoutMs);
  }

  private async transact<T>(access: 'READ' | 'WRITE', work: (tx: Queryable) => Promise<T>, timeout: number) {
    const session = this.session(access);
    const run = (tx: Queryable) => work(traced(tx, access, this.instruments));
    const options = { metadata, timeout };
    try {
      return await (access === 'READ' ? session.executeRead(run, options) : session.executeWrite(run, options));
    } finally {
      await session.close();
    }
  }

  /**
   * Begins a read without waiting for it: BEGIN travels with the first query, and a fault of it comes out of the
   * queries.
   * @param onRecord gets each record that `tx` reads as it comes; what `own` reads it isn't told
   */
  beginRead(timeoutMs: number, onRecord: (record: Record) => void): OpenRead {
    const session = this.session('READ');
    const tx = session.beginTransaction({ metadata, timeout: timeoutMs });
    const watched: Queryable = { run: (query, parameters) => collect(tx.run(query, parameters), onRecord) };
    return {
      tx: traced(watched, 'READ', this.instruments),
      own: traced(tx, 'READ', this.instruments),
      // neo4j-driver 6.3 looks whether the session is open, awaits its bookmarks and sends BEGIN without another look.
      // Closed in between, RESET would go first and the connection back to the pool inside of this transaction. What it
      // awaits is in memory: as soon as the event loop comes round, BEGIN is sent or never will be.
      end: () =>
        void setImmediate(() => {
          // Fails in the closed session before it is sent, and every result that is still coming with it. Else the
          // driver would ask for their next records (PULL) behind RESET. Neo4j refuses that, and whoever has the
          // connection by then fails with it or waits for ever.
          tx.run('RETURN 1').catch(() => {});
          session.close().catch(() => {});
        }),
    };
  }

  async close(): Promise<void> {
    this.ungather();
    await this.driver.close();
  }
}

function basicAuth(user: string, password: string | undefined): AuthToken | undefined {
  return password === undefined ? undefined : neo4j.auth.basic(user, password);
}

/**
 * The driver asks for it whenever it takes a connection: new ones come with what the file says now, and those that are
 * there log in anew when it has changed.
 */
function rereadAuth(user: string, file: string): AuthTokenManager {
  let last: string | undefined;
  return {
    getToken: () => {
      try {
        last = readSecret(file);
      } catch (error) {
        // While it is being replaced.
        if (last === undefined) throw error;
      }
      return neo4j.auth.basic(user, last);
    },
    // The file may come after the change in Neo4j.
    handleSecurityException: () => true,
  };
}

/** The same transaction with a span and a time measured for each query. A query is sent as soon as `run` is called. */
function traced(tx: Queryable, access: 'READ' | 'WRITE', instruments: Instruments): Queryable {
  return {
    run: (query, parameters) =>
      withSpan(
        `neo4j ${access}`,
        // The text holds names only: every value travels as a parameter.
        { 'db.system.name': 'neo4j', 'db.operation.name': access, 'db.query.text': query.slice(0, 2_000) },
        async () => {
          const started = performance.now();
          let outcome: 'ok' | 'failed' = 'failed';
          try {
            const result = await tx.run(query, parameters);
            outcome = 'ok';
            return result;
          } finally {
            const labels = { access: access === 'READ' ? ('read' as const) : ('write' as const), outcome };
            instruments.queryDuration.record((performance.now() - started) / 1_000, labels);
          }
        },
        SpanKind.CLIENT,
      ),
  };
}

/**
 * All records of a result, each told to `onRecord` as it comes. Neo4j sends on while they are taken, a thousand at a
 * time.
 */
function collect<Row extends RecordShape>(
  result: Result<Row>,
  onRecord: (record: Record) => void,
): Promise<QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    const records: Record<Row>[] = [];
    result.subscribe({
      onNext: (record) => {
        records.push(record as Record<Row>);
        onRecord(record);
      },
      onCompleted: (summary) => resolve({ records, summary } as QueryResult<Row>),
      onError: reject,
    });
  });
}

/**
 * What the driver doesn't count as worth a retry: a transaction ended from outside, no free connection in time, a
 * database that is down, and a password that has been changed and not told to Concord yet.
 */
function isCutOff(error: Error): boolean {
  return (
    error instanceof Neo4jError &&
    (error.code === 'Neo.ClientError.Transaction.Terminated' ||
      isDown.test(error.code) ||
      refusesConcord.test(error.code) ||
      error.message.startsWith('Connection acquisition timed out'))
  );
}

/** Whether Neo4j is away or busy, so that the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (neo4j.isRetryableError(cause) || isCutOff(cause)) return true;
    if ('originalError' in cause && cause.originalError !== cause && isUnavailable(cause.originalError)) return true;
  }
  return false;
}
