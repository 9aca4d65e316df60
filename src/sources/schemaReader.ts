import { LRUCache } from 'lru-cache';
import type { Database } from '../graph/database/database.ts';
import type { ClosedIris } from '../graph/names/closed.ts';
import { readLedger } from '../graph/updates/ledger.ts';
import type { Principal } from '../security/principal.ts';
import type { Statement } from '../wire/types.ts';
import { statedOf } from './stated.ts';

/** Sources of which the statements are kept. */
const most = 8;
const timeoutMs = 10_000;

/** Reads what the introspector states of sources, and keeps it as long as the tenant's graph is as it was. */
export class SchemaReader {
  private readonly kept = new LRUCache<string, { revision: number; statements: Statement[] }>({ max: most });

  constructor(private readonly database: Database) {}

  /** Nothing where a source has not been introspected. */
  async read(tenant: string, source: string): Promise<Statement[]> {
    const key = JSON.stringify([tenant, source]);
    // Before the statements: what comes meanwhile is read again next time.
    const revision = await this.database.read(async (tx) => (await readLedger(tx, tenant)).revision, timeoutMs);
    const kept = this.kept.get(key);
    if (kept?.revision === revision) return kept.statements;
    const statements = await statedOf(this.database, tenant, source);
    this.kept.set(key, { revision, statements });
    return statements;
  }

  /** Of these what a caller sees. */
  async seen(
    { tenant }: Pick<Principal, 'tenant'>,
    source: string,
    closed: ClosedIris | undefined,
    requiredCertainty = 0,
  ): Promise<Statement[]> {
    const statements = await this.read(tenant, source);
    const isOpen = (iri: string | undefined) => iri === undefined || !closed?.classes.has(iri);
    return statements.filter(
      ({ subject, predicate, object, certainty = 1 }) =>
        certainty >= requiredCertainty &&
        !closed?.predicates.has(predicate.id) &&
        isOpen(subject.type) &&
        ('value' in object || isOpen(object.type)),
    );
  }
}
