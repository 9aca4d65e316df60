import { setTimeout as sleep } from 'node:timers/promises';
import type { Record as Neo4jRecord, QueryResult, RecordShape, Session } from 'neo4j-driver';
import { ConcordError, ErrorCode } from '../errors.ts';
import { answerTooLarge, LimitExceeded } from '../limitExceeded.ts';
import { Consulted } from './consulted.ts';
import type { Database } from './database.ts';
import type { Plans } from './plans.ts';
import type { Conditions, Qualified, Qualifier } from './qualify/qualifier.ts';
import { qualifiedVersions } from './qualify/versions.ts';
import { readFault } from './readFault.ts';
import { recordSize } from './recordSize.ts';
import type { Queryable } from './statementReader.ts';
import {
  parametersOf,
  type StatementVersion,
  type VersionRow,
  type VersionsAsked,
  versionsOf,
} from './statementVersion.ts';

/** What a read needs of the service. */
export interface ReadParts {
  database: Database;
  qualifier: Qualifier;
  plans: Plans;
  timeoutMs: number;
  /** Records, and objects in their lists, that one read may find. */
  maxRows: number;
  /** UTF-8, of the answer as JSON. */
  maxBytes: number;
}

/** What a read is asked to do beyond its queries. */
export interface ReadWishes {
  /** To tell which statements its answers rest on; the queries take longer for it. */
  consults?: boolean;
  /** To read the tenant's graph of this revision or a newer one. */
  afterRevision?: number;
}

/** What a read came to. */
export interface ReadSummary {
  /** The tenant's revision when it began: what it saw is this or newer. */
  revision: number;
  queries: number;
  /** Waiting for Neo4j. */
  databaseMs: number;
  /** Whether every query started from indexes and scanned nothing; absent where there was no query. */
  usedIndex?: boolean;
  /** The statements that its answers rest on; absent where that wasn't asked or can't be told. */
  consulted?: { statements: number; lowestCertainty?: number };
}

interface Open {
  tx: Queryable;
  /** For what Concord itself asks. */
  own: Queryable;
  revision: Promise<number>;
}

/** How long a read waits at most for a revision that another replica may have given out, and between two looks. */
const patienceMs = 3_000;
const lookMs = 25;

/**
 * A read of what qualifies in a tenant's graph: every query is rewritten to that before it runs, whoever has written it. One transaction, begun with the first query and sent together with it and with the look at the ledger, so that a
 * read of one query waits for one round trip. It is what `@neo4j/graphql` gets as its `executionContext`.
 */
export class ReadTransaction implements Queryable {
  private readonly parts: ReadParts;
  private readonly conditions: Conditions;
  private readonly wishes: ReadWishes;
  private readonly signal: AbortSignal;
  private readonly consulted = new Consulted();
  private readonly plans: Promise<boolean>[] = [];
  private opened: Promise<Open> | undefined;
  private session: Session | undefined;
  private queries = 0;
  private databaseMs = 0;
  private rows = 0;
  private characters = 0;
  /** Rejects when the read is stopped before its time, with the reason. */
  private readonly stopped: Promise<never>;
  private readonly stop: (reason: Error) => void;
  private readonly cancel = () => this.stop(this.signal.reason);

  /** @param signal stops it at once, in the middle of a query too; what runs then rejects with the signal's reason, an Error */
  constructor(parts: ReadParts, conditions: Conditions, signal: AbortSignal, wishes: ReadWishes = {}) {
    this.parts = parts;
    this.conditions = conditions;
    this.wishes = wishes;
    this.signal = signal;
    let reject: (reason: Error) => void = () => {};
    this.stopped = new Promise((_resolve, rejectIt) => {
      reject = rejectIt;
    });
    // A read may be stopped while nobody waits for it.
    this.stopped.catch(() => {});
    this.stop = (reason) => {
      reject(reason);
      this.end();
    };
    signal.addEventListener('abort', this.cancel);
  }

  /**
   * Runs what `@neo4j/graphql` makes of the schema.
   * @throws RefusedCypher where the query has what cannot be qualified
   * @throws ConcordError -32010 where the revision asked for isn't there
   * @throws LimitExceeded `too-many-rows`, `answer-too-large`, `timeout`, `too-much-memory`
   */
  run<Row extends RecordShape>(
    query: string,
    parameters?: Record<string, unknown>,
  ): Promise<QueryResult<Row>> {
    const { conditions, wishes } = this;
    return this.answer(this.parts.qualifier.qualify(query, conditions, wishes.consults, true), parameters);
  }

  /** Runs what somebody else has written; otherwise as `run`. */
  runForeign<Row extends RecordShape>(
    query: string,
    parameters?: Record<string, unknown>,
  ): Promise<QueryResult<Row>> {
    const { conditions, wishes } = this;
    return this.answer(this.parts.qualifier.qualify(query, conditions, wishes.consults), parameters);
  }

  /** Every version of the statements of a subject, newest first. */
  async versions(asked: VersionsAsked): Promise<StatementVersion[]> {
    return versionsOf(await this.answer<VersionRow>(qualifiedVersions(this.conditions), parametersOf(asked)));
  }

  private async answer<Row extends RecordShape>(
    { cypher, consulted, parameters: qualified }: Qualified,
    parameters?: Record<string, unknown>,
  ): Promise<QueryResult<Row>> {
    this.signal.throwIfAborted();
    const { plans } = this.parts;
    const started = performance.now();
    this.queries += 1;
    try {
      const { tx, own } = await this.open();
      const values = { ...parameters, ...qualified };
      // Sent before the query, so that where both fail it is this that tells the fault.
      const plan = plans.usesIndex(own, cypher, values);
      this.plans.push(plan);
      const answers = Promise.all([plan, tx.run<Row>(cypher, values)]);
      const [, result] = await Promise.race([this.stopped, answers]);
      if (this.wishes.consults) this.consulted.add(result, consulted);
      return result;
    } catch (error) {
      throw readFault(error, this.parts.timeoutMs);
    } finally {
      this.databaseMs += performance.now() - started;
    }
  }

  /** What the read came to, once its queries are answered. */
  async summary(): Promise<ReadSummary> {
    const open = await this.open();
    const revision = await Promise.race([this.stopped, open.revision]);
    const consulted = this.wishes.consults ? this.consulted.summary() : undefined;
    const usedIndex = (await Promise.all(this.plans)).every(Boolean);
    return {
      revision,
      queries: this.queries,
      databaseMs: this.databaseMs,
      ...(this.plans.length > 0 && { usedIndex }),
      ...(consulted && { consulted }),
    };
  }

  /** Ends the transaction without waiting for it: nothing was written, so there is nothing to learn from how it ends. */
  end(): void {
    this.signal.removeEventListener('abort', this.cancel);
    // With a query under way this resets the connection, at which Neo4j ends the transaction.
    this.session?.close().catch(() => {});
  }

  private open(): Promise<Open> {
    this.opened ??= this.wishes.afterRevision === undefined ? Promise.resolve(this.begin()) : this.reached();
    return this.opened;
  }

  /** A transaction that sees the revision asked for: what an update answered with holds for whoever reads next, on any replica. */
  private async reached(): Promise<Open> {
    const { afterRevision = 0 } = this.wishes;
    const until = performance.now() + patienceMs;
    for (;;) {
      const open = this.begin();
      const revision = await Promise.race([this.stopped, open.revision]);
      if (revision >= afterRevision) return open;
      this.session?.close().catch(() => {});
      if (performance.now() > until) throw notReached(afterRevision, revision);
      await sleep(lookMs);
      this.signal.throwIfAborted();
    }
  }

  private begin(): Open {
    const { session, tx, own } = this.parts.database.beginRead(this.parts.timeoutMs, (record) =>
      this.count(record),
    );
    this.session = session;
    const ledger = own.run<{ revision: number }>(
      'MATCH (l:Ledger {tenant: $tenant}) RETURN l.revision AS revision',
      {
        tenant: this.conditions.tenant,
      },
    );
    const revision = Promise.resolve(ledger).then(({ records }) => records[0]?.get('revision') ?? 0);
    // Where the query fails too, only its fault is told.
    revision.catch(() => {});
    return { tx, own, revision };
  }

  private count(record: Neo4jRecord): void {
    const { maxRows, maxBytes } = this.parts;
    const { rows, characters } = recordSize(record.values());
    this.rows += rows;
    this.characters += characters;
    if (this.rows > maxRows) this.stop(tooManyRows(maxRows));
    else if (this.characters > maxBytes) this.stop(answerTooLarge(maxBytes));
  }
}

function tooManyRows(limit: number): LimitExceeded {
  const message = `The query found more than the limit of ${limit} rows; ask for pages with limit and offset`;
  return new LimitExceeded('too-many-rows', message, { limit });
}

function notReached(asked: number, revision: number): ConcordError {
  return new ConcordError(
    ErrorCode.KnowledgeQuery,
    `The graph is at revision ${revision} and did not reach ${asked} in ${patienceMs} ms; ask again, or without afterRevision`,
    { reason: 'revision-not-reached', retryable: true, revision },
  );
}
