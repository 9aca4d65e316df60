import { setTimeout as sleep } from 'node:timers/promises';
import neo4j, { type BookmarkManager, type Driver, Neo4jError, type Record, type Session } from 'neo4j-driver';
import { createInstruments, type Instruments } from '../../telemetry/instruments.ts';
import { authOf } from './auth.ts';
import { type Attempt, Breaker } from './breaker.ts';
import { gatherWrites } from './gatheredWrites.ts';
import { leavesOpen, OutcomeUnknown } from './outcomeUnknown.ts';
import { probesOf } from './probe.ts';
import { collect, traced } from './queries.ts';
import type { Queryable } from './queryable.ts';

/** What to tell the transaction log and the change triggers about Concord's own transactions. */
const metadata = { app: 'concord' };

/** What changes a whole graph may take longer than the server's own limit. */
const unlimited = { timeout: 0 };

/** Codes of a schema command that met the same one of another replica. */
const turnedAway =
  /^Neo\.(TransientError\.|ClientError\.Schema\.(EquivalentSchemaRule|Index|Constraint)AlreadyExists$)/;

/** Longest wait for a connection. */
const connectionMs = 10_000;

/** What is waited for Neo4j beyond the time at which it ends a transaction by itself. */
const graceMs = connectionMs + 5_000;

/** As many the driver opens where nothing else is said. */
const usualConnections = 100;

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
  readonly name: string;
  private readonly breaker: Breaker;
  private readonly ungather: () => void;
  private readonly listeners: ((isAway: boolean) => void)[] = [];
  private readonly mostConnections: number;
  private backAt = Number.NEGATIVE_INFINITY;

  /** @param bookmarks those of the same database under another user */
  constructor(
    { uri, user, password, passwordFile, database, connections }: DatabaseAddress,
    private readonly instruments: Instruments = createInstruments(),
    bookmarks?: BookmarkManager,
  ) {
    const auth = authOf({ user, password, passwordFile });
    const open = (maxConnectionPoolSize: number | undefined) =>
      neo4j.driver(uri, auth, {
        // Integers beyond 2^53 are refused at the door, so plain numbers are exact.
        disableLosslessIntegers: true,
        connectionTimeout: 5_000,
        connectionAcquisitionTimeout: connectionMs,
        maxConnectionPoolSize,
        maxTransactionRetryTime: 5_000,
        userAgent: 'concord',
      });
    this.driver = open(connections);
    this.mostConnections = connections ?? usualConnections;
    instruments.neo4jConnectionsMost.add(this.mostConnections);
    const probes = probesOf(this.driver, () => open(1), database);
    this.breaker = new Breaker(probes, (isAway) => {
      instruments.neo4jAway.add(isAway ? 1 : -1);
      if (!isAway) this.backAt = performance.now();
      for (const listener of this.listeners) listener(isAway);
    });
    this.ungather = gatherWrites(Number(new URL(uri).port || boltPort));
    this.bookmarks = bookmarks ?? this.driver.executeQueryBookmarkManager;
    this.name = database;
  }

  /** Tells when Neo4j is found not to answer, from when on all fails at once, and when it answers again. */
  onAway(listener: (isAway: boolean) => void): void {
    this.listeners.push(listener);
  }

  /** Whether Neo4j has answered for so long, or was never found not to. While it is away nobody can renew a lease. */
  hasAnsweredFor(ms: number): boolean {
    return !this.breaker.isOpen && performance.now() - this.backAt >= ms;
  }

  session(access: 'READ' | 'WRITE'): Session {
    const session = this.driver.session({
      database: this.name,
      defaultAccessMode: access,
      bookmarkManager: this.bookmarks,
    });
    const { neo4jSessions } = this.instruments;
    neo4jSessions.add(1);
    let isOpen = true;
    const close = session.close.bind(session);
    session.close = () => {
      if (isOpen) neo4jSessions.add(-1);
      isOpen = false;
      return close();
    };
    return session;
  }

  /** Runs one auto-commit query: for Concord's own bookkeeping and for schema commands. */
  run<Row extends object>(
    access: 'READ' | 'WRITE',
    query: string,
    parameters = {},
    limits: { timeout?: number } = {},
  ): Promise<Row[]> {
    return this.breaker.guard(async () => {
      const session = this.session(access);
      try {
        const auto: Queryable = { run: (text, values) => session.run(text, values, { metadata, ...limits }) };
        const result = await traced(auto, access, this.instruments).run(query, parameters);
        return result.records.map((record) => record.toObject() as Row);
      } finally {
        await session.close();
      }
    });
  }

  /** Runs one command on the system database of the same Neo4j. */
  administer<Row extends object>(query: string, parameters = {}): Promise<Row[]> {
    return this.breaker.guard(async () => {
      const session = this.driver.session({ database: 'system', defaultAccessMode: 'WRITE' });
      try {
        const { records } = await session.run(query, parameters, { metadata });
        return records.map((record) => record.toObject() as Row);
      } finally {
        await session.close();
      }
    });
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

  private transact<T>(access: 'READ' | 'WRITE', work: (tx: Queryable) => Promise<T>, timeout: number): Promise<T> {
    const options = { metadata, timeout };
    return this.breaker.guard(async (attempt) => {
      const session = this.session(access);
      const run = (tx: Queryable) => this.attempted(attempt, traced(tx, access, this.instruments), work);
      try {
        return await (access === 'READ' ? session.executeRead(run, options) : session.executeWrite(run, options));
      } finally {
        // Also where nobody waits any more: until then the transaction has the connection.
        await session.close();
      }
    }, timeout + graceMs);
  }

  /** Runs work that neither asks on nor is committed once it was given up, for its caller was told that it failed. */
  private async attempted<T>(attempt: Attempt, tx: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> {
    attempt.begin();
    const asked: Queryable = {
      run: (query, parameters) => {
        attempt.goOn();
        return tx.run(query, parameters);
      },
    };
    try {
      const result = await work(asked);
      attempt.goOn();
      return result;
    } catch (error) {
      this.breaker.heard(error);
      throw error;
    }
  }

  /**
   * Begins a read without waiting for it: BEGIN travels with the first query, and a fault of it comes out of the
   * queries.
   * @param onRecord gets each record that `tx` reads as it comes; what `own` reads it isn't told
   * @throws Neo4jError ServiceUnavailable where Neo4j is known not to answer
   */
  beginRead(timeoutMs: number, onRecord: (record: Record) => void): OpenRead {
    this.breaker.requireClosed();
    const session = this.session('READ');
    const tx = session.beginTransaction({ metadata, timeout: timeoutMs });
    const watched: Queryable = { run: (query, parameters) => collect(tx.run(query, parameters), onRecord) };
    const answered = (queries: Queryable): Queryable => ({
      run: (query, parameters) =>
        this.breaker.guard(
          () => Promise.resolve(traced(queries, 'READ', this.instruments).run(query, parameters)),
          timeoutMs + graceMs,
        ),
    });
    return {
      tx: answered(watched),
      own: answered(tx),
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
    this.breaker.close();
    this.ungather();
    this.instruments.neo4jConnectionsMost.add(-this.mostConnections);
    await this.driver.close();
  }
}
