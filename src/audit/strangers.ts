import type { AuditFact } from '../graph/audit/entry.ts';

/** Reasons and addresses that are told apart at a time; the others are counted together. */
const most = 100;

/**
 * Requests that were refused before anybody was recognized. Anybody can make as many as it likes, so they are counted by
 * their reason and address, and become one entry each now and then.
 */
export class Strangers {
  private facts = new Map<string, AuditFact & { count: number }>();

  add(fact: AuditFact): void {
    const own = JSON.stringify([fact.reason, fact.address]);
    const isFull = this.facts.size >= most && !this.facts.has(own);
    const key = isFull ? 'others' : own;
    const known = this.facts.get(key);
    const { address, ...rest } = fact;
    if (known) known.count += 1;
    else this.facts.set(key, isFull ? { ...rest, reason: 'various', count: 1 } : { ...fact, count: 1 });
  }

  /** What has come so far, of which nothing is kept. */
  take(): AuditFact[] {
    const taken = [...this.facts.values()];
    this.facts = new Map();
    return taken;
  }
}
