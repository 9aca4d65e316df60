import { LRUCache } from 'lru-cache';
import { orAborted } from '../base/orAborted.ts';
import { isUnavailable } from '../graph/database/away.ts';
import { isSecretOf, parseApiKey } from './apiKey.ts';
import type { ApiKeyRecord, ApiKeyStore } from './apiKeyStore.ts';
import { type Principal, visibleGraphs } from './principal.ts';
import { IdentitiesUnavailable, Unauthenticated } from './refused.ts';

/** The principal of an API key. It throws Unauthenticated or IdentitiesUnavailable. */
export type VerifyApiKey = (text: string) => Promise<Principal>;

/** Of `AbortSignal.timeout`. */
const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';

export interface ApiKeyVerifierOptions {
  /** How long a key is believed without asking the database: after it, a revoked one is refused by every replica. */
  cacheMs?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** A Neo4j that hangs must not have callers hang with it. */
const patienceMs = 3_000;

const touchedEveryMs = 3_600_000;

/** Verifies API keys against those in the database. */
export function apiKeyVerifier(
  store: ApiKeyStore,
  { cacheMs = 10_000, now = Date.now }: ApiKeyVerifierOptions = {},
): VerifyApiKey {
  const known = new LRUCache<string, ApiKeyRecord>({
    max: 10_000,
    ttl: cacheMs,
    fetchMethod: (id) => orAborted(store.find(id), AbortSignal.timeout(patienceMs)),
  });
  // Apart and few: ids that strangers make up must not drive out the keys in use.
  const unknown = new LRUCache<string, true>({ max: 1_000, ttl: cacheMs });

  async function find(id: string): Promise<ApiKeyRecord | undefined> {
    if (unknown.has(id)) return undefined;
    const record = await known.fetch(id).catch((error: unknown) => {
      throw isUnavailable(error) || isTimeout(error) ? new IdentitiesUnavailable({ cause: error }) : error;
    });
    if (!record) unknown.set(id, true);
    return record;
  }

  return async (text) => {
    const key = parseApiKey(text);
    if (!key) throw new Unauthenticated('malformed');
    const record = await find(key.id);
    // One reason for both, so that nobody learns which ids there are; that a key is revoked only its bearer is told.
    if (!record || !isSecretOf(key.secret, record.hash)) throw new Unauthenticated('unknown-key');
    if (record.revokedAt !== undefined) throw new Unauthenticated('revoked-key');
    touch(store, record, now());
    return grantedBy(record);
  };
}

/** Records that a key is in use, once an hour. */
export function touch(store: Pick<ApiKeyStore, 'touch'>, record: ApiKeyRecord, now: number): void {
  if (record.lastUsedAt !== undefined && now - Date.parse(record.lastUsedAt) < touchedEveryMs) return;
  record.lastUsedAt = new Date(now).toISOString();
  // Nobody needs to wait for it, and the key is as good without.
  store.touch(record.id).catch(() => {});
}

/** The principal that a key stands for. */
export function grantedBy({ id, tenant, agentId, scopes, graphs }: ApiKeyRecord): Principal {
  return { keyId: id, tenant, agentId, scopes: new Set(scopes), ...(graphs && { graphs: visibleGraphs(graphs) }) };
}
