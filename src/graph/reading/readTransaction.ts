import type { Record as Neo4jRecord, QueryResult, RecordShape } from 'neo4j-driver';
import { deferred } from '../../base/deferred.ts';
import type { ConcordError } from '../../base/errors.ts';
import { answerTooLarge } from '../../base/limitExceeded.ts';
import { refuse } from '../../base/reasons.ts';
import type { QueryMetadata } from '../../wire/types.ts';
import { isUnavailable } from '../database/away.ts';
import type { Database } from '../database/database.ts';
import type { Queryable } from '../database/queryable.ts';
import { UnconfinedCypher } from '../qualify/audit/audit.ts';
import type { Conditions, PageAsked, Qualified } from '../qualify/qualifier.ts';
import { qualifiedVersions } from '../qualify/versions.ts';
import { entitiesIndexed } from '../search/textIndex.ts';
import {
  parametersOf,
  type StatementVersion,
  type VersionRow,
  type VersionsAsked,
  versionsOf,
} from '../statements/statementVersion.ts';
import { answerOf } from './answer.ts';
import { Consulted } from './consulted.ts';
import { type Open, openAt, openRead } from './openRead.ts';
import { readFault, recordSize, tooManyRows } from './readLimits.ts';

/** What a read needs of the service. */
export interface ReadParts {
  database: Database;
  qualifier: {
    qualify(
      cypher: string,
      conditions: Conditions,
      consults?: boolean,
      isOwn?: boolean,
      page?: PageAsked,
    ): Qualified | Promise<Qualified>;
  };
  /** Told where a rewritten text is found not to be confined: a fault of Concord's, at which it isn't run. */
  onUnconfined(rule: string): void;
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
type ReadSummary = Pick<QueryMetadata, 'revision' | 'queries' | 'databaseMs' | 'usedIndex' | 'truncated' | 'consulted'>;

/** A read that fails because Neo4j was away is tried again: this often in all. */
const attempts = 3;

/**
 * A read of what qualifies in a tenant's graph: every query is rewritten to that before it runs, whoever has written
 * it. One transaction, begun with the first query and sent together with it and with the look at the ledger, so that a
 * read of one query waits for one round trip; another takes its place where Neo4j was away. It is what `@neo4j/graphql`
 * gets as its `executionContext`.
 */
export class ReadTransaction implements Queryable {
  private readonly consulted = new Consulted();
  private usedIndex = true;
  private opened: Promise<Open> | undefined;
  private current: Open | undefined;
  private attempt = 1;
  private readonly begun = performance.now();
  /** The revision of the first transaction that has answered. */
  private revision: Promise<number> | undefined;
  private ended = false;
  /** Whether an answer was cut where its query asked for no limit. */
  isTruncated = false;
  private queries = 0;
  private databaseMs = 0;
  private rows = 0;
  private characters = 0;
  /** Rejects when the read ends, with the reason where that is before its time. */
  private readonly stopped: Promise<never>;
  private readonly stop: (reason: Error) => void;
  private readonly cancel = () => this.stop(this.signal.reason);

  /**
   * @param signal stops it at once, in the middle of a query too; what runs then rejects with the signal's reason, an
   * Error
   */
  constructor(
    private readonly parts: ReadParts,
    private readonly conditions: Conditions,
    private readonly signal: AbortSignal,
    private readonly wishes: ReadWishes = {},
  ) {
    const { promise, reject } = deferred<never>();
    this.stopped = promise;
    // A read may be stopped while nobody waits for it.
    this.stopped.catch(() => {});
    this.stop = (reason) => {
      if (this.ended) return;
      this.ended = true;
      reject(reason);
      signal.removeEventListener('abort', this.cancel);
      this.current?.end();
    };
    if (signal.aborted) this.cancel();
    else signal.addEventListener('abort', this.cancel);
  }

  /**
   * Runs what `@neo4j/graphql` makes of the schema.
   * @param page what is asked of the page of the query's own connection
   * @throws RefusedCypher where the query has what cannot be qualified
   * @throws ConcordError -32010 where the revision asked for isn't there
   * @throws LimitExceeded `too-many-rows`, `answer-too-large`, `timeout`, `too-much-memory`
   */
  async run<Row extends RecordShape>(
    query: string,
    parameters?: Record<string, unknown>,
    page?: PageAsked,
  ): Promise<QueryResult<Row>> {
    return this.answer(await this.qualified(query, true, page), parameters);
  }

  /**
   * Runs what chooses entities: as on other conditions, an answer doesn't rest on it. Otherwise as `run`. It isn't
   * counted: how often this is asked follows how many the index has, whoever may see them.
   */
  async choose<Row extends RecordShape>(query: string, parameters: Record<string, unknown>): Promise<QueryResult<Row>> {
    return this.answer(await this.qualified(query, true, undefined, false), parameters, {
      consults: false,
      counts: false,
    });
  }

  /**
   * The ids of entities that the full-text index finds, whatever of them may be seen: to be looked at by `choose`. They
   * come in pages, however many there are: by how much is hidden no query may fail.
   * @param query as `matchingQuery` gives it
   * @returns undefined where other values may qualify than the current ones, which the index has
   */
  indexed(query: string): AsyncIterable<string[]> | undefined {
    const { graphs, observedSince, asOf, asOfRevision } = this.conditions;
    if ([graphs, observedSince, asOf, asOfRevision].some((each) => each !== undefined)) return undefined;
    return this.indexedPages(query);
  }

  private async *indexedPages(query: string): AsyncGenerator<string[]> {
    const { tenant } = this.conditions;
    const limit = this.parts.maxRows;
    for (let skip = 0, found = limit; found === limit; skip += limit) {
      const ids = await this.ask(({ own }) => entitiesIndexed(own, { tenant, query, skip, limit }));
      found = ids.length;
      yield ids;
    }
  }

  /** Runs what somebody else has written; otherwise as `run`. */
  async runForeign<Row extends RecordShape>(
    query: string,
    parameters?: Record<string, unknown>,
  ): Promise<QueryResult<Row>> {
    return this.answer(await this.qualified(query, false), parameters);
  }

  /** Every version of the statements of a subject, newest first. */
  async versions(asked: VersionsAsked): Promise<StatementVersion[]> {
    return versionsOf(await this.answer<VersionRow>(qualifiedVersions(this.conditions), parametersOf(asked)));
  }

  private async qualified(
    query: string,
    isOwn: boolean,
    page?: PageAsked,
    consults = this.wishes.consults,
  ): Promise<Qualified> {
    const { qualifier, onUnconfined } = this.parts;
    try {
      return await qualifier.qualify(query, this.conditions, consults, isOwn, page);
    } catch (error) {
      if (!(error instanceof UnconfinedCypher)) throw error;
      onUnconfined(error.rule);
      throw unconfined();
    }
  }

  private async answer<Row extends RecordShape>(
    qualified: Qualified,
    parameters?: Record<string, unknown>,
    { consults = this.wishes.consults, counts = true } = {},
  ): Promise<QueryResult<Row>> {
    const { cypher } = qualified;
    const values = qualified.parametersFor(parameters);
    const started = performance.now();
    if (counts) this.queries += 1;
    this.usedIndex &&= qualified.usesIndex;
    try {
      const raw = await this.ask(async ({ tx, revision }) => {
        const answered = await tx.run(cypher, values);
        this.revision ??= revision;
        return answered;
      });
      const { result, consulted } = answerOf<Row>(raw, qualified);
      if (consults) this.consulted.add(qualified.consulted ? consulted : undefined);
      return result;
    } finally {
      this.databaseMs += performance.now() - started;
    }
  }

  /** What the read came to, once its queries are answered. */
  async summary(): Promise<ReadSummary> {
    const known = this.revision ?? this.ask(({ revision }) => revision);
    const revision = await Promise.race([this.stopped, known]);
    const consulted = this.wishes.consults ? this.consulted.summary() : undefined;
    return {
      revision,
      queries: this.queries,
      databaseMs: this.databaseMs,
      ...(this.queries > 0 && { usedIndex: this.usedIndex }),
      ...(this.isTruncated && { truncated: true }),
      ...(consulted && { consulted }),
    };
  }

  /**
   * Ends the transaction without waiting for it: nothing was written, so there is nothing to learn from how it ends.
   * A query that runs is stopped, and one that comes later rejects: GraphQL answers once a root field has failed, when
   * others may be still to ask.
   */
  end(): void {
    this.stop(new Error('The read is over'));
  }

  /** Asks in the transaction, and where Neo4j was away again in another. */
  private async ask<T>(question: (open: Open) => Promise<T>): Promise<T> {
    for (;;) {
      const opened = this.open();
      try {
        return await Promise.race([this.stopped, opened.then(question)]);
      } catch (error) {
        const fault = readFault(error, this.parts.timeoutMs);
        if (!isUnavailable(fault) || !this.reopen(opened)) throw fault;
      }
    }
  }

  /** @returns whether to ask once more; another query may have found out before that the transaction has failed */
  private reopen(failed: Promise<Open>): boolean {
    if (this.opened !== failed) return true;
    if (this.attempt === attempts || performance.now() - this.begun > this.parts.timeoutMs) return false;
    this.attempt += 1;
    this.current?.end();
    this.opened = undefined;
    if (this.revision === undefined) {
      this.rows = 0;
      this.characters = 0;
    }
    return true;
  }

  private open(): Promise<Open> {
    if (this.ended) return this.stopped;
    const { afterRevision } = this.wishes;
    const begin = () => this.begin();
    this.opened ??= afterRevision === undefined ? Promise.resolve(begin()) : openAt(afterRevision, begin, this.stopped);
    return this.opened;
  }

  private begin(): Open {
    const { database, timeoutMs } = this.parts;
    this.current = openRead(database, this.conditions.tenant, timeoutMs, (record) => this.count(record));
    return this.current;
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

function unconfined(): ConcordError {
  const message =
    'The query was not run, for Concord could not make sure that it reads only what the caller may see; tell the operator';
  return refuse('unconfined', message);
}
