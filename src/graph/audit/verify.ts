import { genesisOf } from './chains.ts';
import { type AuditEntry, entryHash } from './entry.ts';
import type { StoredChain } from './readTrail.ts';

/** What is wrong with a trail. */
export interface AuditFault {
  chain: string;
  /** Of the entry; absent where it is the chain itself. */
  sequence?: number;
  /**
   * `changed`: it isn't what was hashed, or was put there. `missing`: it is gone. `cut`: the chain ends before its end.
   * `inserted`: there is more than belongs to the chain. `chain`: the chain isn't as it was begun, or is gone.
   */
  what: 'changed' | 'missing' | 'cut' | 'inserted' | 'chain';
}

/** An end that a chain is known to have had, from a link of another, or from an earlier verification. */
export interface KnownEnd {
  chain: string;
  length: number;
  head: string;
}

/** Follows the entries of a chain in their order. Free of any database. */
export class ChainWalk {
  readonly faults: AuditFault[] = [];
  entries = 0;
  private last: number;
  private before: string;
  /** By their lengths, the ends that the chain is known to have had. */
  private readonly known = new Map<number, string>();

  constructor(
    private readonly chain: StoredChain,
    known: readonly KnownEnd[],
  ) {
    const { id, tenant, startedAt, links, kept, anchor } = chain;
    this.last = kept;
    this.before = anchor;
    for (const { length, head } of known) {
      if (length > chain.length) this.fault('cut', length);
      else this.know(length, head);
    }
    const begun = startedAt === undefined ? '' : genesisOf({ id, tenant, startedAt, links: linksOf(chain) });
    if (kept === 0 && anchor !== begun) this.fault('chain');
    if (kept < 0 || kept > chain.length || links === null) this.fault('chain');
    this.compare(kept, anchor);
  }

  take(entry: AuditEntry): void {
    this.entries += 1;
    if (!Number.isInteger(entry.sequence) || entry.sequence <= this.last) this.fault('inserted', entry.sequence);
    else this.follow(entry);
  }

  private follow(entry: AuditEntry): void {
    for (let at = this.last + 1; at < entry.sequence && at <= this.chain.length; at++) this.fault('missing', at);
    const follows = entry.sequence === this.last + 1;
    // Behind a gap nobody knows what it was hashed behind.
    if (follows && entryHash(this.before, entry) !== entry.hash) this.fault('changed', entry.sequence);
    this.last = entry.sequence;
    this.before = entry.hash;
    this.compare(entry.sequence, entry.hash);
  }

  end(): AuditFault[] {
    if (this.last < this.chain.length) this.fault('cut', this.last + 1);
    else if (this.before !== this.chain.head) this.fault('changed', this.last);
    return this.faults;
  }

  private know(length: number, head: string): void {
    const other = this.known.get(length);
    if (other !== undefined && other !== head) this.fault('chain');
    this.known.set(length, head);
  }

  private compare(length: number, hash: string): void {
    const known = this.known.get(length);
    if (known !== undefined && known !== hash) this.fault('changed', length);
  }

  private fault(what: AuditFault['what'], sequence?: number): void {
    // Of a chain that is wrong from somewhere on, the first tell all.
    if (this.faults.length < mostFaults)
      this.faults.push({ chain: this.chain.id, what, ...(sequence && { sequence }) });
  }
}

const mostFaults = 100;

/** The ends of other chains that a chain was begun behind. */
export function linksOf({ links }: StoredChain): KnownEnd[] {
  return (links ?? []).flatMap((text) => {
    try {
      const [chain, length, head] = JSON.parse(text) as [string, number, string];
      return [{ chain, length, head }];
    } catch {
      return [];
    }
  });
}
