import neo4j, { type Driver, type Session, type Transaction } from 'neo4j-driver';
import { answerTooLarge } from '../../base/limitExceeded.ts';
import { cypherCell, typeOfColumn } from './cypherCell.ts';
import type { Row, Selected, SelectLimits, Source } from './source.ts';
import { statementMs } from './source.ts';

/** Connections at a time. */
const most = 4;

/**
 * A Neo4j beside Concord's own. It refuses to write in a session that only reads.
 * @param url `neo4j://user:password@host:7687/database`, also `bolt` and `+s`; nobody is called before something is asked
 */
export function openNeo4j(url: string): Source {
  const { protocol, host, username, password, pathname } = new URL(url);
  const auth = neo4j.auth.basic(decodeURIComponent(username), decodeURIComponent(password));
  const driver: Driver = neo4j.driver(`${protocol}//${host}`, auth, {
    maxConnectionPoolSize: most,
    connectionTimeout: 10_000,
    connectionAcquisitionTimeout: 10_000,
    maxTransactionRetryTime: 0,
    userAgent: 'concord',
  });
  const database = decodeURIComponent(pathname.slice(1));
  const reading = async <Result>(work: (session: Session) => Promise<Result>): Promise<Result> => {
    const session = driver.session({ defaultAccessMode: neo4j.session.READ, ...(database !== '' && { database }) });
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  };
  return {
    dialect: 'cypher',
    stops: true,
    rows: <Found extends Row>(cypher: string, values: unknown[] = []) =>
      reading(async (session) => {
        const { records } = await session.run(cypher, { values }, { timeout: statementMs });
        return records.map((record) => plainNumbers(record.toObject()) as Found);
      }),
    select: ({ sql }, limits) => reading((session) => selected(session, sql, limits)),
    close: () => driver.close(),
  };
}

/** A row at a time; what is too much, or no longer wanted, ends the transaction. */
async function selected(
  session: Session,
  cypher: string,
  { rows: wanted, bytes, timeoutMs, signal }: SelectLimits,
): Promise<Selected> {
  signal.throwIfAborted();
  const tx = session.beginTransaction({ timeout: timeoutMs });
  let onAbort: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  aborted.catch(() => {});
  try {
    const answer = await Promise.race([answerOf(tx, cypher, wanted, bytes), aborted]);
    await tx.close();
    return answer;
  } catch (error) {
    // As `beginRead` of Concord's own database: what is still coming fails before the connection is reset.
    // BEGIN is sent as soon as the event loop comes round, or never.
    await new Promise(setImmediate);
    tx.run('RETURN 1').catch(() => {});
    session.close().catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function answerOf(
  tx: Pick<Transaction, 'run'>,
  cypher: string,
  wanted: number,
  bytes: number,
): Promise<Selected> {
  const result = tx.run(cypher);
  const names = await result.keys();
  const values: unknown[][] = [];
  let length = 0;
  for await (const record of result) {
    const row = names.map((name) => record.get(name) as unknown);
    length += JSON.stringify(row.map(cypherCell)).length;
    if (length > bytes) throw answerTooLarge(bytes);
    values.push(row);
    if (values.length > wanted) break;
  }
  return {
    columns: names.map((name, at) => ({ name: String(name), type: typeOfColumn(values.map((row) => row[at])) })),
    rows: values.slice(0, wanted).map((row) => row.map(cypherCell)),
    truncated: values.length > wanted,
  };
}

function plainNumbers(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, neo4j.isInt(value) ? value.toNumber() : value]),
  );
}
