import { readFile } from 'node:fs/promises';
import neo4j, { Neo4jError } from 'neo4j-driver';
import type { Database } from '../database/database.ts';
import { beginCursor, lockCursor, moveCursor, queryChanges, readCursor, skipMissed } from './captureCursor.ts';
import { guardedLabels, guardedTypes } from './captureTrigger.ts';
import type { CaptureState, EditSource } from './editSource.ts';
import { markOvertaken } from './overtaken.ts';

const file = new URL('../../../cypher/capture/cdc.cypher', import.meta.url);

/** Changes of one transaction, as long as a single transaction has no more. */
const batch = 2_000;
/** How often the cursor follows while nothing is edited, so that Neo4j doesn't let go of the log that it points to. */
const followMs = 60_000;
const transactionMs = 120_000;

/** What Neo4j says of a change identifier that is older than its transaction log, or of another database. */
const hasExpired = /\.ChangeDataCapture\.(ScanFailure|InvalidIdentifier)$/;

interface CdcSettings {
  /** Whose the edits are that belong to no tenant. */
  tenant: string;
}

/**
 * Edits that are read from the change data capture of Neo4j Enterprise or Aura (`db.cdc.query`), after they were
 * committed. Concord's own transactions are known by their metadata and left out. The cursor is kept in the graph and
 * moves with the edits that are written down, in one transaction, so any replica may read on at any time.
 *
 * No Neo4j Enterprise was there to run it on: what it asks and is answered follows Neo4j's documentation.
 */
export class CdcSource implements EditSource {
  /** What this replica has read without finding an edit. */
  private ahead: { of: string; cursor: string } | undefined;

  constructor(
    private readonly database: Database,
    private readonly settings: CdcSettings,
  ) {}

  async open(): Promise<CaptureState> {
    return cdcAttempted(async () => {
      await beginCursor(this.database, await currentChange(this.database));
      await this.requireNothingMissed();
    });
  }

  state(): Promise<CaptureState> {
    return cdcAttempted(async () => {
      await currentChange(this.database);
      await this.requireNothingMissed();
    });
  }

  async writeDown(): Promise<void> {
    while (await this.writeBatch()) {
      // Until there is nothing more.
    }
  }

  /** @returns whether there may be more */
  private async writeBatch(): Promise<boolean> {
    const kept = await readCursor(this.database);
    if (kept === undefined) {
      await beginCursor(this.database, await currentChange(this.database));
      return false;
    }
    const from = this.ahead?.of === kept.cursor ? this.ahead.cursor : kept.cursor;
    // Before reading: what is committed in between is read again.
    const current = await currentChange(this.database);
    const found = await this.look(from).catch((error: unknown) => this.missed(error, kept.cursor, current));
    if (found === undefined) return false;
    if (found.length === 0) {
      this.ahead = { of: kept.cursor, cursor: current };
      if (Date.now() - kept.movedAt < followMs) return false;
      await this.move(kept.cursor, current);
      return false;
    }
    if (found.some(({ captureMode }) => captureMode !== 'FULL')) {
      await skipMissed(this.database, kept.cursor, current, notFull(this.database.name));
      return false;
    }
    const last = wholeTransactions(found);
    const isWritten = await this.write(kept.cursor, from, last);
    return isWritten && found.length >= batch;
  }

  /** The next changes that aren't Concord's. */
  private look(from: string): Promise<Found[]> {
    return this.database.run<Found>(
      'READ',
      `${queryChanges}
       WITH txId, metadata WHERE coalesce(metadata.txMetadata.app, '') <> 'concord'
       RETURN txId, metadata.captureMode AS captureMode LIMIT $limit`,
      { from, limit: neo4j.int(batch) },
    );
  }

  /** @returns false where another replica has done it */
  private async write(kept: string, from: string, last: number): Promise<boolean> {
    const query = await readFile(file, 'utf8');
    const { tenant } = this.settings;
    const parameters = { from, last: neo4j.int(last), tenant, systemLabels: guardedLabels, systemTypes: guardedTypes };
    return this.database.write(async (tx) => {
      if (!(await lockCursor(tx, kept))) return false;
      await tx.run(query, parameters);
      await markOvertaken(tx, from);
      const { records } = await tx.run<{ id: string }>(
        `${queryChanges}
         WITH id, txId, metadata WHERE txId <= $last AND coalesce(metadata.txMetadata.app, '') <> 'concord'
         RETURN collect(id)[-1] AS id`,
        parameters,
      );
      await moveCursor(tx, records[0]?.get('id') ?? from);
      return true;
    }, transactionMs);
  }

  private async move(from: string, to: string): Promise<void> {
    await this.database.write(async (tx) => {
      if (await lockCursor(tx, from)) await moveCursor(tx, to);
    }, transactionMs);
  }

  /** Goes on behind a cursor that has expired; that edits are missed stays told until somebody has reconciled. */
  private async missed(error: unknown, from: string, current: string): Promise<undefined> {
    if (!(error instanceof Neo4jError) || !hasExpired.test(error.code)) throw error;
    await skipMissed(this.database, from, current, 'the cursor of change data capture has expired');
  }

  private async requireNothingMissed(): Promise<void> {
    const { missedSince, missedWhy } = (await readCursor(this.database)) ?? {};
    if (missedSince === undefined) return;
    throw new Error(`${missedWhy}: edits since ${missedSince} were missed; run concord reconcile --mend`);
  }
}

interface Found {
  txId: number;
  captureMode: string | null;
}

/**
 * The last transaction of which all changes are among these. Neo4j's documentation leaves open what follows an
 * identifier from the middle of a transaction, so none is ever kept.
 */
function wholeTransactions(found: Found[]): number {
  const last = found.at(-1)?.txId ?? 0;
  const isWhole = found.length < batch || found[0]?.txId === last;
  return isWhole ? last : (found.findLast(({ txId }) => txId !== last)?.txId ?? last);
}

/** The change identifier of what was committed last. */
async function currentChange(database: Database): Promise<string> {
  const [row] = await database.run<{ id: string }>('READ', 'CALL db.cdc.current() YIELD id RETURN id');
  if (row === undefined) throw new Error('Neo4j names no current change');
  return row.id;
}

/** Whether change data capture can be read. */
export function cdcState(database: Database): Promise<CaptureState> {
  return new CdcSource(database, { tenant: '' }).state();
}

async function cdcAttempted(work: () => Promise<void>): Promise<CaptureState> {
  try {
    await work();
    return { isSeen: true };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof Neo4jError && !/^Neo\.ClientError\.|ChangeDataCapture/.test(error.code)) throw error;
    return { isSeen: false, why: remedyOf(error) };
  }
}

const notFull = (name: string) =>
  `change data capture doesn't tell whole elements: run ALTER DATABASE \`${name}\` SET OPTION txLogEnrichment 'FULL' (on Aura: CDC FULL in its console)`;

function remedyOf({ message, ...error }: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code.endsWith('.ChangeDataCapture.Disabled'))
    return "run ALTER DATABASE … SET OPTION txLogEnrichment 'FULL' as an administrator (on Aura: CDC FULL in its console)";
  if (/no procedure with the name|ProcedureNotFound/i.test(message + code))
    return 'this Neo4j has no db.cdc: CAPTURE=cdc needs Neo4j Enterprise or Aura; on Community set CAPTURE=report';
  return message.split('\n')[0] ?? '';
}
