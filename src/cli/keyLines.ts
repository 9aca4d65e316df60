import type { ApiKeyRecord } from '../security/apiKeyStore.ts';
import { tableLines } from './terminal/table.ts';

const titles = ['ID', 'TENANT', 'AGENT', 'SCOPES', 'GRAPHS', 'CREATED', 'LAST USED', 'REVOKED'];

/** A table of keys for people, with a line of titles; no line at all without keys. */
export function keyLines(records: readonly ApiKeyRecord[]): string[] {
  return tableLines(titles, records.map(cells));
}

function cells({ id, tenant, agentId, scopes, graphs, createdAt, lastUsedAt, revokedAt }: ApiKeyRecord): string[] {
  const granted = scopes.map((scope) => scope.replace('knowledge:', '')).join(',');
  const seen = graphs ? graphs.join(',') || 'none' : 'all';
  return [id, tenant, agentId, granted, seen, day(createdAt), day(lastUsedAt), day(revokedAt)];
}

/** `2030-01-02T03:04:05.678Z` → `2030-01-02 03:04` */
function day(time: string | undefined): string {
  return time?.slice(0, 16).replace('T', ' ') ?? '-';
}
