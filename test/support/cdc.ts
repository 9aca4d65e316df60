import { isDeepStrictEqual } from 'node:util';
import { afterAll } from '@jest/globals';
import neo4j, { type Integer, type ManagedTransaction, Neo4jError, type Session, type Transaction } from 'neo4j-driver';
import { queryChanges } from '../../src/graph/capture/captureCursor.ts';
import { Database } from '../../src/graph/database/database.ts';
import type { Editor } from './editor.ts';
import { neo4jSettings } from './service.ts';

/**
 * Stands in for change data capture, which only Neo4j Enterprise and Aura have: of each edit by hand it compares the
 * real graph before and after, inside of the edit's own transaction, and answers `db.cdc.current` and `db.cdc.query`
 * with events in the form that Neo4j's documentation shows. What Concord wrote between two edits is one transaction of
 * Concord's. Queries of Concord's still run on the real Neo4j: only the call of the procedure is replaced, by its rows.
 */
export interface Cdc extends Editor {
  /** What is committed from now on isn't told, until it is released. */
  hold(): void;
  release(): Promise<void>;
  /** From now on no change is known any more whose identifier was given until now. */
  expire(): void;
  /** How much the events tell from now on. */
  captureMode: 'FULL' | 'DIFF';
}

interface Row {
  id: string;
  txId: Integer;
  seq: Integer;
  metadata: Record<string, unknown>;
  event: Record<string, unknown>;
}

interface Element {
  properties: Record<string, unknown>;
  labels?: string[];
  type?: string;
  start?: string;
  end?: string;
}
type Elements = Map<string, Element>;

const patienceMs = 60_000;
const columns = ['id', 'txId', 'seq', 'metadata', 'event'].map((name) => `cdcRow.${name} AS ${name}`).join(', ');

/** Somebody who edits by hand a Neo4j that has change data capture, until the tests of a file end. */
export function useCdc(): Cdc {
  const rows: Row[] = [];
  /** What is told ends here. */
  let held: number | undefined;
  let expired = 0;
  let before: Elements | undefined;
  let transactions = 100;
  const idOf = (index: number) => `cdc-${String(index).padStart(6, '0')}`;

  /** Those after a change identifier. */
  function rowsAfter(from: unknown): Row[] {
    const place = Number(String(from).replace('cdc-', ''));
    if (place < expired) {
      const code = 'Neo.DatabaseError.ChangeDataCapture.ScanFailure';
      const message = 'Failed to read transaction log';
      throw new Neo4jError(message, code, '50N42', message);
    }
    return rows.slice(place, held);
  }

  const ungive = answerCdc((query, parameters) => [
    query
      .replaceAll(queryChanges, `UNWIND $cdcRows AS cdcRow WITH *, ${columns}`)
      .replaceAll('CALL db.cdc.current() YIELD id', 'WITH $cdcCurrent AS id'),
    { ...parameters, cdcRows: rowsAfter(parameters.from ?? idOf(rows.length)), cdcCurrent: idOf(held ?? rows.length) },
  ]);

  const { NEO4J_URI, NEO4J_USER = 'neo4j', NEO4J_PASSWORD } = neo4jSettings;
  // With integers as they are: an event must not turn them into floats.
  const driver = neo4j.driver(NEO4J_URI, neo4j.auth.basic(NEO4J_USER, NEO4J_PASSWORD));
  afterAll(async () => {
    ungive();
    await driver.close();
  });

  /** Writes down what became different, in the order in which Neo4j tells it. */
  function record(was: Elements, is: Elements, app: string): void {
    transactions += 1;
    const metadata = metadataOf(app, cdc.captureMode);
    const events = eventsBetween(was, is);
    events.forEach((event, seq) => {
      const id = idOf(rows.length + 1);
      rows.push({ id, txId: neo4j.int(transactions), seq: neo4j.int(seq), metadata, event });
    });
  }

  /** What Concord has written since. */
  async function recordOwn(tx: Transaction): Promise<Elements> {
    const now = await elementsOf(tx);
    if (before !== undefined) record(before, now, 'concord');
    before = now;
    return now;
  }

  async function inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const session = driver.session();
    const tx = session.beginTransaction({ metadata: { app: 'neo4j-browser_v5' } });
    try {
      const result = await work(tx);
      await tx.commit();
      return result;
    } finally {
      await session.close();
    }
  }

  const cdc: Cdc = {
    captureMode: 'FULL',
    async edit<R extends object>(query: string, parameters: Record<string, unknown> = {}) {
      let pending = () => {};
      const found = await inTransaction(async (tx) => {
        const was = await recordOwn(tx);
        const { records } = await tx.run(query, parameters);
        const is = await elementsOf(tx);
        pending = () => {
          record(was, is, 'neo4j-browser_v5');
          before = is;
        };
        return records.map((row) => plain(row.toObject()) as R);
      });
      pending();
      return found;
    },
    async taken() {
      const last =
        rows.findLast(({ metadata }) => (metadata.txMetadata as { app: string }).app !== 'concord')?.id ?? '';
      const query = `OPTIONAL MATCH (c:CaptureCursor) RETURN c.cursor AS cursor, COUNT { (:DirectEdit) } AS edits`;
      for (const end = Date.now() + patienceMs; ; ) {
        const { records } = await driver.executeQuery(query);
        if ((records[0]?.get('cursor') ?? '') >= last && Number(records[0]?.get('edits')) === 0) return;
        if (Date.now() > end) throw new Error(`The edits have not been taken within ${patienceMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    hold: () => {
      held = rows.length;
    },
    async release() {
      await inTransaction(recordOwn);
      held = undefined;
    },
    expire: () => {
      expired = rows.length + 1;
      rows.push(...rows.slice(0, 1));
    },
  };
  return cdc;
}

/** Answers what every database of this process asks of change data capture. @returns what ends it */
function answerCdc(
  answer: (query: string, parameters: Record<string, unknown>) => [string, Record<string, unknown>],
): () => void {
  const { session: open } = Database.prototype;
  const asks = (query: unknown) => typeof query === 'string' && query.includes('db.cdc.');
  Database.prototype.session = function answering(access) {
    const session: Session = open.call(this, access);
    const run = session.run.bind(session) as (...words: unknown[]) => never;
    session.run = ((query: string, parameters: Record<string, unknown> = {}, config?: object) =>
      asks(query) ? run(...answer(query, parameters), config) : run(query, parameters, config)) as Session['run'];
    for (const name of ['executeRead', 'executeWrite'] as const) {
      const execute = session[name].bind(session);
      session[name] = (work, config) => execute((tx) => work(answeringTx(tx)), config);
    }
    return session;
  };
  function answeringTx(tx: ManagedTransaction): ManagedTransaction {
    const run = tx.run.bind(tx) as (...words: unknown[]) => never;
    tx.run = ((query: string, parameters: Record<string, unknown> = {}) =>
      asks(query) ? run(...answer(query, parameters)) : run(query, parameters)) as ManagedTransaction['run'];
    return tx;
  }
  return () => {
    Database.prototype.session = open;
  };
}

async function elementsOf(tx: Transaction): Promise<Elements> {
  const nodes = await tx.run('MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties');
  const relationships = await tx.run(
    `MATCH (s)-[r]->(o)
     RETURN elementId(r) AS id, type(r) AS type, properties(r) AS properties, elementId(s) AS start, elementId(o) AS end`,
  );
  return new Map([...nodes.records, ...relationships.records].map((row) => [row.get('id'), row.toObject() as Element]));
}

function metadataOf(app: string, captureMode: string): Record<string, unknown> {
  const at = new Date().toISOString().replace('Z', '000000Z');
  return {
    ...{ executingUser: 'neo4j', authenticatedUser: 'neo4j', captureMode, serverId: '20668765', databaseName: 'neo4j' },
    ...{ connectionType: 'bolt', connectionClient: '127.0.0.1:51320', connectionServer: '127.0.0.1:7687' },
    ...{ txStartTime: at, txCommitTime: at, txMetadata: { app, type: 'user-direct' } },
  };
}

function eventsBetween(was: Elements, is: Elements): Record<string, unknown>[] {
  const events = [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => {
    const [before, after] = [was.get(id), is.get(id)];
    if (isDeepStrictEqual(before, after)) return [];
    const operation = before === undefined ? 'c' : after === undefined ? 'd' : 'u';
    const end = (element: string | undefined) => ({
      elementId: element,
      keys: {},
      labels: (is.get(element ?? '') ?? was.get(element ?? ''))?.labels ?? [],
    });
    const element = before ?? after;
    const state = { before: stateOf(before), after: stateOf(after) };
    if (element?.type === undefined)
      return { elementId: id, eventType: 'n', operation, labels: element?.labels, keys: {}, state };
    const { type, start: from, end: to } = element;
    return { elementId: id, eventType: 'r', operation, type, start: end(from), end: end(to), keys: [], state };
  });
  const order = ['nc', 'rc', 'nu', 'ru', 'nd', 'rd'];
  const place = ({ eventType, operation }: Record<string, unknown>) => order.indexOf(`${eventType}${operation}`);
  return events.sort((one, other) => place(one) - place(other));
}

const stateOf = (element: Element | undefined) =>
  element === undefined ? null : { properties: element.properties, ...(element.labels && { labels: element.labels }) };

/** With numbers for integers, as tests compare them. */
function plain(value: unknown): unknown {
  if (neo4j.isInt(value as object)) return (value as Integer).toNumber();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  return value;
}
