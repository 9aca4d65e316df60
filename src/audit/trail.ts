import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Periodic } from '../base/periodic.ts';
import { appendEntries, genesisOf, type NewChain, readEnds, TrailHeld } from '../graph/audit/chains.ts';
import { type AuditFact, type ChainEnd, chained } from '../graph/audit/entry.ts';
import type { Database } from '../graph/database/database.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { callerAddress, traceId, untraced } from '../telemetry/tracing.ts';
import { type AuditedCall, type AuditMode, isAudited } from './audited.ts';
import { Strangers } from './strangers.ts';

export interface AuditTrailParts {
  database: Database;
  mode: AuditMode;
  instruments: Pick<Instruments, 'auditLost'>;
  /** Milliseconds since 1970. */
  now(): number;
  onError(error: unknown): void;
  /** Entries that may wait while Neo4j is away. */
  mostWaiting?: number;
}

/** A replica that is killed loses what it was told since the last writing. */
const writeEveryMs = 250;
/** Entries of one transaction. */
const batch = 1_000;
/** Of one transaction. */
const timeoutMs = 30_000;
/** Strangers are written down so rarely. */
const strangersEveryMs = 10_000;
/** Whose requests belong to no tenant. */
const nobody = '';

interface OwnChain {
  chain: NewChain;
  end: ChainEnd;
  /** Entries that were tried in vain: they may be there all the same, so they are tried again, and no others. */
  tried?: number;
}

/**
 * The audit trail of the calls of this replica: a chain for each tenant, which nobody else adds to. So no replica waits
 * for another, and no call for its entry: what has come is written together, a few times a second.
 */
export class AuditTrail {
  private readonly waiting = new Map<string, AuditFact[]>();
  private readonly strangers = new Strangers();
  /** A tenant whose chain is forgotten gets another. */
  private readonly chains = new LRUCache<string, OwnChain>({ max: 1_000 });
  private readonly writing: Periodic;
  private readonly mostWaiting: number;
  private length = 0;
  private lost = 0;
  /** By a clock that doesn't jump. */
  private toldStrangers = performance.now();

  constructor(private readonly parts: AuditTrailParts) {
    const { onError } = parts;
    this.mostWaiting = parts.mostWaiting ?? 50_000;
    this.writing = new Periodic({ everyMs: writeEveryMs, work: () => untraced(() => this.write()), onError });
  }

  start(): void {
    this.writing.start();
  }

  /** Takes a call; the address and the trace are those of the request under way. */
  record(call: AuditedCall): void {
    if (!isAudited(call, this.parts.mode)) return;
    const { principal, method, outcome, reason } = call;
    const [address, trace] = [callerAddress(), traceId()];
    const fact: AuditFact = {
      ...{ at: this.parts.now(), what: method, verdict: outcome },
      ...(reason !== undefined && { reason }),
      ...(principal?.agentId !== undefined && { agent: principal.agentId }),
      ...(principal?.keyId !== undefined && { keyId: principal.keyId }),
      ...(address !== undefined && { address }),
    };
    if (principal === undefined) this.strangers.add(fact);
    else this.wait(principal.tenant, { ...fact, ...(trace !== undefined && { traceId: trace }) });
  }

  /** Writes what there is, and takes nothing more. */
  async close(): Promise<void> {
    await this.writing.close();
    this.toldStrangers = Number.NEGATIVE_INFINITY;
    await untraced(() => this.write()).catch(this.parts.onError);
  }

  private wait(tenant: string, fact: AuditFact): void {
    if (this.length >= this.mostWaiting) {
      this.lost += 1;
      this.parts.instruments.auditLost.add(1);
      return;
    }
    const facts = this.waiting.get(tenant);
    if (facts) facts.push(fact);
    else this.waiting.set(tenant, [fact]);
    this.length += 1;
    if (this.length >= batch) this.writing.wake();
  }

  private async write(): Promise<void> {
    const now = performance.now();
    if (now - this.toldStrangers >= strangersEveryMs) {
      this.toldStrangers = now;
      for (const fact of this.strangers.take()) this.wait(nobody, fact);
    }
    for (const [tenant, facts] of this.waiting) {
      while (facts.length > 0) if (!(await this.writeBatch(tenant, facts))) return;
      this.waiting.delete(tenant);
    }
    if (this.lost > 0) {
      const fact = { at: this.parts.now(), what: 'audit', verdict: 'lost', count: this.lost };
      this.lost = 0;
      this.wait(nobody, fact);
    }
  }

  /**
   * What fails stays where it is, and is tried again: it is added once, for a chain ends in one place only.
   * @returns false where a backup holds it up
   */
  private async writeBatch(tenant: string, facts: AuditFact[]): Promise<boolean> {
    const own = this.chains.get(tenant) ?? (await this.begin(tenant));
    const part = facts.slice(0, own.tried ?? batch);
    own.tried = part.length;
    const added = chained({ tenant, chain: own.chain.id }, own.end, part);
    const length = await this.append(own, added);
    if (length === undefined) return false;
    if (length !== added.end.length) {
      this.chains.delete(tenant);
      throw new Error('A chain of the audit trail was added to by somebody else; another is begun');
    }
    own.end = added.end;
    own.tried = undefined;
    facts.splice(0, part.length);
    this.length -= part.length;
    return true;
  }

  private async append({ chain, end }: OwnChain, added: ReturnType<typeof chained>): Promise<number | undefined> {
    try {
      return await this.parts.database.write((tx) => appendEntries(tx, chain, end, added), timeoutMs);
    } catch (error) {
      if (error instanceof TrailHeld) return undefined;
      throw error;
    }
  }

  private async begin(tenant: string): Promise<OwnChain> {
    const links = await this.parts.database.read((tx) => readEnds(tx, tenant), timeoutMs);
    const chain = { id: randomUUID(), tenant, startedAt: this.parts.now(), links };
    const own: OwnChain = { chain, end: { length: 0, head: genesisOf(chain) } };
    this.chains.set(tenant, own);
    return own;
  }
}
