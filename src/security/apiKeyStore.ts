import type { Database } from '../graph/database/database.ts';
import { dateTime } from '../graph/statements/values.ts';
import { type ApiKey, apiKeyText, hashOf, newApiKey } from './apiKey.ts';
import { isScope, type Scope } from './principal.ts';

/** What an API key is good for. */
export interface Grant {
  tenant: string;
  agentId: string;
  scopes: Scope[];
  /** IRIs of named graphs, and `default`; absent means all graphs of the tenant. */
  graphs?: string[];
}

/** An `ApiKey` node. Points in time are ISO 8601. */
export interface ApiKeyRecord extends Grant {
  id: string;
  hash: string;
  createdAt: string;
  revokedAt?: string;
  /** To the hour. */
  lastUsedAt?: string;
}

// A class of an older database may have the label too; what agents state must never count as a key.
const matched = 'MATCH (k:ApiKey) WHERE NOT k:Entity';
const returned = `RETURN k {.id, .hash, .tenant, .agentId, .scopes, .graphs, createdAt: toString(k.createdAt),
  revokedAt: toString(k.revokedAt), lastUsedAt: toString(k.lastUsedAt)} AS key`;

/** The API keys in the database. */
export class ApiKeyStore {
  /** @param now milliseconds since 1970 */
  constructor(
    private readonly database: Database,
    private readonly now: () => number = Date.now,
  ) {}

  /** @returns the key as its bearer needs it, which is nowhere kept, and what is kept of it */
  async create(grant: Grant, key: ApiKey = newApiKey()): Promise<{ key: string; record: ApiKeyRecord }> {
    const { tenant, agentId, scopes, graphs } = grant;
    const record = await this.one(
      'WRITE',
      `CREATE (k:ApiKey {id: $id, hash: $hash, tenant: $tenant, agentId: $agentId, scopes: $scopes, graphs: $graphs, createdAt: $now})
       ${returned}`,
      {
        id: key.id,
        hash: hashOf(key.secret),
        tenant,
        agentId,
        scopes,
        graphs: graphs ?? null,
        now: dateTime(this.now()),
      },
    );
    if (!record) throw new Error('The API key was not created');
    return { key: apiKeyText(key), record };
  }

  find(id: string): Promise<ApiKeyRecord | undefined> {
    return this.one('READ', `${matched} AND k.id = $id ${returned}`, { id });
  }

  /** All keys, the oldest first. */
  async list(tenant?: string): Promise<ApiKeyRecord[]> {
    const rows = await this.database.run<{ key: StoredKey }>(
      'READ',
      `${matched} AND ($tenant IS NULL OR k.tenant = $tenant) WITH k ORDER BY k.createdAt, k.id ${returned}`,
      { tenant: tenant ?? null },
    );
    return rows.map(({ key }) => recordOf(key));
  }

  /** Ends a key for good; one that has been revoked keeps its time. Undefined when there is no such key. */
  revoke(id: string): Promise<ApiKeyRecord | undefined> {
    return this.one('WRITE', `${matched} AND k.id = $id SET k.revokedAt = coalesce(k.revokedAt, $now) ${returned}`, {
      id,
      now: dateTime(this.now()),
    });
  }

  /** Records that a key is in use. */
  async touch(id: string): Promise<void> {
    await this.database.run('WRITE', `${matched} AND k.id = $id SET k.lastUsedAt = $now`, {
      id,
      now: dateTime(this.now()),
    });
  }

  private async one(access: 'READ' | 'WRITE', query: string, parameters: object): Promise<ApiKeyRecord | undefined> {
    const [row] = await this.database.run<{ key: StoredKey }>(access, query, parameters);
    return row && recordOf(row.key);
  }
}

/** As the database gives it: what is absent is null, and a later Concord may know more scopes. */
type StoredKey = Omit<ApiKeyRecord, 'scopes' | 'graphs' | 'revokedAt' | 'lastUsedAt'> & {
  scopes: string[];
  graphs: string[] | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
};

function recordOf({ scopes, graphs, revokedAt, lastUsedAt, ...rest }: StoredKey): ApiKeyRecord {
  return {
    ...rest,
    scopes: scopes.filter(isScope),
    ...(graphs !== null && { graphs }),
    ...(revokedAt !== null && { revokedAt }),
    ...(lastUsedAt !== null && { lastUsedAt }),
  };
}
