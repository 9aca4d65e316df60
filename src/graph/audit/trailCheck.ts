import type { Database } from '../database/database.ts';
import type { AuditEntry } from './entry.ts';
import { countEntries, readChains, readEntries, type StoredChain } from './readTrail.ts';
import { type AuditFault, ChainWalk, type KnownEnd, linksOf } from './verify.ts';

/** What a verification has found. */
export interface VerifiedTrail {
  chains: number;
  entries: number;
  faults: AuditFault[];
  /** Where the chains end. */
  ends: KnownEnd[];
}

/** Of one read transaction. */
const timeoutMs = 60_000;

/**
 * Reads the whole trail and compares it with its hashes. What is added meanwhile is left for the next time.
 * @param known ends that chains have had earlier
 */
export async function verifyTrail(database: Database, known: readonly KnownEnd[] = []): Promise<VerifiedTrail> {
  const chains = await database.read(readChains, timeoutMs);
  const stored = await database.read(countEntries, timeoutMs);
  const since = new Map((await database.read(readChains, timeoutMs)).map((chain) => [chain.id, chain]));
  const said = [...known, ...chains.flatMap(linksOf)];
  const gone = new Set([...said.map(({ chain }) => chain), ...stored.keys()].filter((chain) => !since.has(chain)));
  const faults: AuditFault[] = [...gone].map((chain) => ({ chain, what: 'chain' }));
  let entries = 0;
  for (const chain of chains) {
    const walk = await walked(database, chain, said);
    faults.push(...walk.end());
    // Neither what was added nor what was let go since then makes these more.
    const most = (since.get(chain.id)?.length ?? 0) - chain.kept;
    if ((stored.get(chain.id) ?? 0) > most) faults.push({ chain: chain.id, what: 'inserted' });
    entries += walk.entries;
  }
  const ends = chains.map(({ id, length, head }) => ({ chain: id, length, head }));
  return { chains: chains.length, entries, faults, ends };
}

async function walked(database: Database, chain: StoredChain, said: readonly KnownEnd[]): Promise<ChainWalk> {
  const walk = new ChainWalk(
    chain,
    said.filter((end) => end.chain === chain.id),
  );
  for await (const page of entriesOf(database, chain)) for (const entry of page) walk.take(entry);
  return walk;
}

/** Entries of one page. */
const page = 5_000;

/**
 * The entries of a chain in pages, up to where it ended when it was looked at; the next page is on its way while one is
 * worked through.
 */
export async function* entriesOf(database: Database, { id, kept, length }: StoredChain): AsyncGenerator<AuditEntry[]> {
  const read = (after: number) =>
    database.read((tx) => readEntries(tx, id, after, Math.min(after + page, length)), timeoutMs);
  let next = kept < length ? read(kept) : undefined;
  for (let after = kept + page; next; after += page) {
    const entries = await next;
    next = after < length ? read(after) : undefined;
    // Nobody may come to ask for it.
    next?.catch(() => {});
    yield entries;
  }
}
