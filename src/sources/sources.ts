import { getOrInsert } from '../base/getOrInsert.ts';
import type { SourceAddress } from '../config/sources.ts';
import { defaultTenant } from '../security/tenant.ts';
import { openMysql } from './adapters/mysql.ts';
import { openNeo4j } from './adapters/neo4j.ts';
import { openPglite } from './adapters/pglite.ts';
import { openPostgres } from './adapters/postgres.ts';
import type { Source } from './adapters/source.ts';

/** The sources of each tenant, of which each is opened when it is first asked for. */
export class Sources {
  private readonly open = new Map<SourceAddress, Source>();

  constructor(private readonly addresses: readonly SourceAddress[]) {}

  /** The names of a tenant's, in the order of the setting. */
  names(tenant: string): string[] {
    return this.addresses.filter((each) => isOf(each, tenant)).map(({ name }) => name);
  }

  /** @returns undefined where the tenant has none of this name */
  get(tenant: string, name: string): Source | undefined {
    const address = this.addresses.find((each) => isOf(each, tenant) && each.name === name);
    return address && this.opened(address);
  }

  /** Those that answer SQL of strangers. */
  answering(): { tenant?: string; name: string; source: Source }[] {
    return this.addresses.flatMap((address) => {
      const source = this.opened(address);
      return source.stops ? [{ ...address, source }] : [];
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map((each) => each.close()));
    this.open.clear();
  }

  private opened(address: SourceAddress): Source {
    return getOrInsert(this.open, address, () => openSource(address));
  }
}

export function openSource({ kind, url }: Pick<SourceAddress, 'kind' | 'url'>): Source {
  if (kind === 'neo4j') return openNeo4j(url);
  if (kind === 'mysql') return openMysql(url);
  return kind === 'pglite' ? openPglite(url.slice('pglite:'.length)) : openPostgres(url);
}

const isOf = (address: SourceAddress, tenant: string) => (address.tenant ?? defaultTenant) === tenant;
