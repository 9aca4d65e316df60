import type { Queryable } from '../../graph/database/queryable.ts';
import { type ElementPage, filedEdges, unfiledEdges, unlabelledNodes } from '../../graph/reconcile/edgePages.ts';
import { entitiesAfter } from '../../graph/reconcile/entityPages.ts';
import { tenantsWithLedger } from '../../graph/reconcile/logPages.ts';
import { lockLedger, readLedger } from '../../graph/updates/ledger.ts';
import { Capture, type CaptureParts } from '../capture/capture.ts';
import { checkEdges } from './checkEdges.ts';
import { checkEntities } from './checkEntities.ts';
import { type CheckedLog, checkLog, type LogPart } from './checkLog.ts';
import type { Difference, Found } from './difference.ts';
import { mend } from './mend.ts';

export interface ReconcileParts extends Omit<CaptureParts, 'pollMs' | 'onError'> {
  /** All that have a ledger where absent. */
  tenant?: string;
  /** Whose nodes are that belong to no tenant. */
  defaultTenant: string;
  /** Whether what differs is mended, and not only told. */
  mends: boolean;
  /** Edges, entities or changes of a page; a page is what is held in memory. */
  page: number;
  onDifference(difference: Difference): void;
  /** Told after each page. */
  onProgress(walked: Walked): void;
}

/** How much was looked at. */
export interface Walked {
  edges: number;
  entities: number;
  changes: number;
}

type LogPlace = Pick<LogPart, 'after' | 'isFirst'>;

/** What is wrong in a page, asked again under the ledger where there is something. */
type Check = (tx: Queryable) => Promise<Found[]>;

/**
 * Compares what the graph holds with what it says of itself: edges with the identities of their statements, what
 * entities show with their statements, and the log with its ledger and with the edges. It goes through all of it page by
 * page. What a page has is told as it is under the tenant's ledger, so nothing that is just being written is a
 * difference.
 */
export class Reconciliation {
  private readonly walked: Walked = { edges: 0, entities: 0, changes: 0 };
  private readonly capture: Capture;
  private differences = 0;

  constructor(private readonly parts: ReconcileParts) {
    const onError = (error: unknown) => {
      throw error;
    };
    this.capture = new Capture({ ...parts, pollMs: 1_000, onError });
  }

  /** @returns how many differences there are, or were */
  async run(): Promise<{ differences: number; walked: Walked }> {
    const { tenant, mends, database, timeoutMs } = this.parts;
    const tenants = tenant === undefined ? await database.read(tenantsWithLedger, timeoutMs) : [tenant];
    if (mends) for (const each of tenants) await this.capture.take(each);
    await this.elements('entities', (tx, at) => unlabelledNodes(tx, this.labels, at), this.checkNodes);
    await this.elements('edges', (tx, at) => unfiledEdges(tx, this.types, at), this.checkEdges);
    for (const type of this.types) await this.elements('edges', (tx, at) => filedEdges(tx, type, at), this.checkEdges);
    for (const each of tenants) {
      await this.entities(each);
      await this.log(each);
    }
    return { differences: this.differences, walked: this.walked };
  }

  private get labels(): string[] {
    return [...this.parts.dictionary.classesByLabel().keys()];
  }

  private get types(): string[] {
    return [...this.parts.dictionary.predicatesByType().keys()];
  }

  private readonly checkEdges = (tx: Queryable, tenant: string, elements: string[]) =>
    checkEdges(tx, tenant, elements, this.parts.dictionary);

  /** That it is no entity is all that there is to a node. */
  private readonly checkNodes = async (_: Queryable, tenant: string, elements: string[]): Promise<Found[]> =>
    elements.map((element) => ({
      difference: { kind: 'node', tenant, of: element },
      edits: [{ kind: 'node', op: 'created', element }],
    }));

  /** Goes through elements of whatever tenant. */
  private async elements(
    counted: 'edges' | 'entities',
    pageOf: (tx: Queryable, at: { after: string; limit: number }) => Promise<ElementPage>,
    check: (tx: Queryable, tenant: string, elements: string[]) => Promise<Found[]>,
  ): Promise<void> {
    const { database, timeoutMs, page: limit, defaultTenant, tenant: only } = this.parts;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const at: { after: string; limit: number } = { after, limit };
      const page: ElementPage = await database.read((tx) => pageOf(tx, at), timeoutMs);
      for (const [tenant, elements] of page.elements) {
        const whose = tenant || defaultTenant;
        if (only === undefined || whose === only) await this.examine(whose, (tx) => check(tx, whose, elements));
      }
      this.count(counted, page.count);
      after = page.next;
    }
  }

  private async entities(tenant: string): Promise<void> {
    const { database, timeoutMs, page: limit } = this.parts;
    for (let after = '', isMore = true; isMore; ) {
      const at = { after, limit };
      const ids: string[] = await database.read((tx) => entitiesAfter(tx, tenant, at), timeoutMs);
      if (ids.length > 0) await this.examine(tenant, (tx) => checkEntities(tx, tenant, ids, this.parts));
      this.count('entities', ids.length);
      after = ids.at(-1) ?? after;
      isMore = ids.length === limit;
    }
  }

  private async log(tenant: string): Promise<void> {
    const { page: limit, dictionary, mends } = this.parts;
    for (let place: LogPlace | undefined = { after: 0, isFirst: true }; place !== undefined; ) {
      const at: LogPlace = place;
      let checked: Omit<CheckedLog, 'found'> = { count: 0, isLong: false };
      await this.examine(tenant, async (tx) => {
        const { sequence } = await readLedger(tx, tenant);
        const { found, ...rest } = await checkLog(tx, tenant, { ...at, limit, sequence }, dictionary);
        checked = rest;
        return found;
      });
      const { count, isLong, next }: Omit<CheckedLog, 'found'> = checked;
      if (mends && isLong) continue;
      this.count('changes', count);
      place = next === undefined ? undefined : { after: next, isFirst: false };
    }
  }

  /** Tells, and mends where it is asked for, what differs in a page. */
  private async examine(tenant: string, check: Check): Promise<void> {
    const { database, timeoutMs, mends } = this.parts;
    if ((await database.read(check, timeoutMs)).length === 0) return;
    const found = await database.write(async (tx) => {
      const ledger = await lockLedger(tx, tenant);
      const all = await check(tx);
      if (mends && all.length > 0) await mend(tx, tenant, { found: all, ledger }, this.parts);
      return all;
    }, timeoutMs);
    for (const { difference } of found) this.parts.onDifference(difference);
    this.differences += found.length;
    if (mends && found.length > 0) await this.capture.take(tenant);
  }

  private count(what: keyof Walked, more: number): void {
    this.walked[what] += more;
    this.parts.onProgress({ ...this.walked });
  }
}
