import neo4j from 'neo4j-driver';
import type { Queryable } from '../database/queryable.ts';
import { updateChain } from './chains.ts';
import type { AuditEntry, ChainEnd } from './entry.ts';

/** A chain as it stands in the graph. */
export interface StoredChain extends ChainEnd {
  id: string;
  tenant: string;
  /** How many of its first entries retention has removed, and the hash of the last of these. */
  kept: number;
  anchor: string;
  /** Of a chain of calls: milliseconds since 1970. */
  startedAt?: number;
  /** JSON of `[chain, length, head]`. */
  links: string[];
}

/** All chains: of calls, and of the updates of each tenant. */
export async function readChains(tx: Queryable): Promise<StoredChain[]> {
  const calls = await tx.run<StoredChain>(
    `MATCH (c:AuditChain)
     RETURN c.id AS id, c.tenant AS tenant, c.length AS length, c.head AS head, c.kept AS kept, c.anchor AS anchor,
       c.startedAt.epochMillis AS startedAt, c.links AS links ORDER BY c.startedAt, c.id`,
  );
  const updates = await tx.run<StoredChain>(
    `MATCH (l:Ledger) WHERE l.auditLength > 0
     RETURN l.tenant AS tenant, l.auditLength AS length, l.auditHead AS head, coalesce(l.auditKept, 0) AS kept,
       coalesce(l.auditAnchor, '') AS anchor, [] AS links ORDER BY tenant`,
  );
  return [
    ...calls.records.map((record) => record.toObject()),
    ...updates.records.map((record) => ({ ...record.toObject(), id: updateChain(record.get('tenant')) })),
  ];
}

/** How many entries there are of each chain, also of chains that aren't there. */
export async function countEntries(tx: Queryable): Promise<Map<string, number>> {
  const { records } = await tx.run<{ chain: string | null; entries: number }>(
    'MATCH (e:AuditEntry) RETURN e.chain AS chain, count(*) AS entries',
  );
  return new Map(records.map((record) => [record.get('chain') ?? '', record.get('entries')]));
}

const fields = [
  ...(['tenant', 'chain', 'sequence', 'what', 'verdict', 'reason', 'agent', 'keyId', 'address'] as const),
  ...(['traceId', 'target', 'revision', 'reviewedBy', 'count', 'hash'] as const),
];

/** The entries of a chain in their order, behind a number and up to another. */
export async function readEntries(tx: Queryable, chain: string, after: number, upTo: number): Promise<AuditEntry[]> {
  // Lists: there are many, and the names of the columns would be worked through with each.
  const { records } = await tx.run<{ entry: unknown[] }>(
    `MATCH (e:AuditEntry {chain: $chain}) USING INDEX e:AuditEntry(chain, sequence)
     WHERE e.sequence > $after AND e.sequence <= $upTo
     WITH e ORDER BY e.sequence
     RETURN [e.at.epochMillis, ${fields.map((name) => `e.${name}`).join(', ')}] AS entry`,
    { chain, after: neo4j.int(after), upTo: neo4j.int(upTo) },
  );
  return records.map((record) => {
    const [at, ...values] = record.get('entry');
    const entry: Record<string, unknown> = { at };
    fields.forEach((name, index) => {
      const value = values[index];
      if (value !== null) entry[name] = value;
    });
    return entry as unknown as AuditEntry;
  });
}
