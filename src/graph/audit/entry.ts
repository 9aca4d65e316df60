import { createHash } from 'node:crypto';

/** What an entry of the audit trail tells. */
export interface AuditFact {
  /** Milliseconds since 1970. */
  at: number;
  /** The method, `unknown` where a request came to none, or `update` of an update that was applied. */
  what: string;
  /** `ok`, `cancelled`, the code of the error, or `applied`. */
  verdict: string;
  /** Of the error. */
  reason?: string;
  agent?: string;
  /** The API key that the agent came by. */
  keyId?: string;
  /** Where the request came from. */
  address?: string;
  traceId?: string;
  /** The id of the update. */
  target?: string;
  revision?: number;
  /** Who approved it, where it was held before. */
  reviewedBy?: string;
  /** How many it stands for; absent means one. */
  count?: number;
}

/** An entry in its chain. */
export interface AuditEntry extends AuditFact {
  /** Empty of what belongs to nobody: requests of strangers. */
  tenant: string;
  chain: string;
  /** From 1, without a gap. */
  sequence: number;
  /** Over all of the above and the hash of the entry before it: SHA-256, 43 characters of base64url. */
  hash: string;
}

/** Where a chain ends. */
export interface ChainEnd {
  /** Entries that it has had. */
  length: number;
  /** The hash of the last, or of the beginning. */
  head: string;
}

/** The order in which they are hashed: never another, and what is new comes at the end. */
const hashed = [
  ...(['tenant', 'chain', 'sequence', 'at', 'what', 'verdict', 'reason', 'agent', 'keyId', 'address'] as const),
  ...(['traceId', 'target', 'revision', 'reviewedBy', 'count'] as const),
];

export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The hash of an entry behind another. */
export function entryHash(before: string, entry: Omit<AuditEntry, 'hash'>): string {
  return hashOf(JSON.stringify([before, ...hashed.map((name) => entry[name] ?? null)]));
}

/** Facts as the next entries of a chain. */
export function chained(
  { tenant, chain }: Pick<AuditEntry, 'tenant' | 'chain'>,
  { length, head }: ChainEnd,
  facts: readonly AuditFact[],
): { entries: AuditEntry[]; end: ChainEnd } {
  let before = head;
  const entries = facts.map((fact, index) => {
    const entry = { ...fact, tenant, chain, sequence: length + index + 1 };
    before = entryHash(before, entry);
    return { ...entry, hash: before };
  });
  return { entries, end: { length: length + entries.length, head: before } };
}
