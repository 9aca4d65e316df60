import neo4j from 'neo4j-driver';
import type { Database } from '../../graph/database/database.ts';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { type LeaseKey, renewLeases, takeOverLost } from '../../graph/leases/leases.ts';
import type { StoredSubscription } from './stored.ts';

/** Whose subscriptions. */
export interface Owner {
  tenant: string;
  owner: string;
}

/** One of them. */
export type OwnedKey = Owner & { id: string };

const timeoutMs = 10_000;
const matched = `${fixedPlan} MATCH (s:ChangeSubscription {tenant: $tenant, id: $id})
  USING INDEX SEEK s:ChangeSubscription(tenant, id)`;
const returned = `RETURN s {.tenant, .id, .owner, .keyId, .wanted, .receiver, .cursor, .start, .deliveredSequence, .failures,
  .failure, .pauseReason, .oldest, createdAt: toString(s.createdAt), deliveredAt: toString(s.deliveredAt),
  failingSince: toString(s.failingSince), pausedAt: toString(s.pausedAt)} AS subscription`;

/**
 * Subscriptions as nodes in Neo4j. One that is active has a lease, which is over from the start, so that a replica takes
 * it; one that is paused has none.
 */
export class SubscriptionStore {
  /** @param replica this one */
  constructor(
    private readonly database: Database,
    private readonly replica: string,
  ) {}

  /** How many its owner has, and how many there are in all. */
  async counts({ tenant, owner }: Owner): Promise<{ own: number; all: number }> {
    const [row] = await this.read<{ own: number; all: number }>(
      `${fixedPlan} CALL () {
         MATCH (s:ChangeSubscription) USING INDEX SEEK s:ChangeSubscription(tenant, owner, createdAt)
         WHERE s.tenant = $tenant AND s.owner = $owner AND s.createdAt IS NOT NULL
         RETURN count(*) AS own
       }
       CALL () {
         MATCH (s:ChangeSubscription) RETURN count(*) AS all
       }
       RETURN own, all`,
      { tenant, owner },
    );
    return row ?? { own: 0, all: 0 };
  }

  async create(subscription: Omit<StoredSubscription, 'createdAt' | 'failures'>): Promise<StoredSubscription> {
    const { wanted, receiver, cursor, start, keyId = null, tenant, id, owner } = subscription;
    const kept = {
      ...{ tenant, id, owner, keyId, failures: neo4j.int(0), cursor: neo4j.int(cursor) },
      ...{ wanted: JSON.stringify(wanted), receiver: JSON.stringify(receiver) },
      start: start === undefined ? null : neo4j.int(start),
    };
    const created = await this.one(
      `${fixedPlan} MERGE (s:ChangeSubscription {tenant: $tenant, id: $id})
       ON CREATE SET s += $kept, s.createdAt = datetime(), s.leaseUntil = datetime() ${returned}`,
      { tenant, id, kept },
    );
    if (!created) throw new Error('The subscription was not created');
    return created;
  }

  find({ tenant, owner, id }: OwnedKey): Promise<StoredSubscription | undefined> {
    return this.readOne(`${matched} WHERE s.owner = $owner ${returned}`, { tenant, owner, id });
  }

  /** The owner's, the oldest first. @param after the last one of the page before; absent begins with the first */
  async list({ tenant, owner }: Owner, first: number, after?: StoredSubscription): Promise<StoredSubscription[]> {
    const rows = await this.read<Row>(
      `${fixedPlan} MATCH (s:ChangeSubscription) USING INDEX SEEK s:ChangeSubscription(tenant, owner, createdAt)
       WHERE s.tenant = $tenant AND s.owner = $owner AND s.createdAt >= datetime($at)
         AND (s.createdAt > datetime($at) OR s.id > $id)
       WITH s ORDER BY s.createdAt, s.id LIMIT $first ${returned}`,
      { tenant, owner, at: after?.createdAt ?? '0001-01-01T00:00:00Z', id: after?.id ?? '', first: neo4j.int(first) },
    );
    return rows.map(({ subscription }) => storedOf(subscription));
  }

  /** Ends the serving; what was paused before keeps its reason. */
  pause({ tenant, owner, id }: OwnedKey): Promise<StoredSubscription | undefined> {
    return this.one(
      `${matched} WHERE s.owner = $owner
       SET s.pausedAt = coalesce(s.pausedAt, datetime()), s.pauseReason = coalesce(s.pauseReason, 'asked'),
         s.leaseUntil = null ${returned}`,
      { tenant, owner, id },
    );
  }

  /** Has it served again, with the rights of this key from now on. */
  resume({ tenant, owner, id }: OwnedKey, keyId: string | undefined): Promise<StoredSubscription | undefined> {
    return this.one(
      `${matched} WHERE s.owner = $owner
       SET s.keyId = $keyId, s.leaseUntil = coalesce(s.leaseUntil, datetime()), s.pausedAt = null, s.pauseReason = null,
         s.oldest = null, s.failures = 0, s.failure = null, s.failingSince = null ${returned}`,
      { tenant, owner, id, keyId: keyId ?? null },
    );
  }

  /** @returns whether there was one */
  async remove({ tenant, owner, id }: OwnedKey): Promise<boolean> {
    const rows = await this.write(`${matched} WHERE s.owner = $owner DETACH DELETE s RETURN 1 AS one`, {
      ...{ tenant, owner, id },
    });
    return rows.length > 0;
  }

  /** One that this replica serves; undefined where it is paused, gone, or another's. */
  serving({ tenant, id }: LeaseKey): Promise<StoredSubscription | undefined> {
    return this.readOne(`${matched} WHERE s.replica = $replica AND s.leaseUntil >= datetime() ${returned}`, {
      ...{ tenant, id, replica: this.replica },
    });
  }

  /** Keeps what the receiver has acknowledged. @returns whether this replica serves it on */
  async delivered({ tenant, id }: LeaseKey, sequence: number): Promise<boolean> {
    const rows = await this.write<{ goesOn: boolean }>(
      `${matched} SET s.updatedAt = datetime()
       WITH s WHERE s.replica = $replica
       SET s.cursor = CASE WHEN s.cursor < $sequence THEN $sequence ELSE s.cursor END,
         s.deliveredSequence = CASE WHEN s.deliveredSequence > $sequence THEN s.deliveredSequence ELSE $sequence END,
         s.deliveredAt = datetime(), s.failures = 0, s.failure = null, s.failingSince = null
       RETURN s.leaseUntil IS NOT NULL AS goesOn`,
      { tenant, id, replica: this.replica, sequence: neo4j.int(sequence) },
    );
    return rows[0]?.goesOn ?? false;
  }

  /** Counts an attempt that has failed. @returns how many have in a row; undefined where this replica serves it no more */
  async failed({ tenant, id }: LeaseKey, reason: string): Promise<number | undefined> {
    const rows = await this.write<{ failures: number }>(
      `${matched} SET s.updatedAt = datetime()
       WITH s WHERE s.replica = $replica AND s.leaseUntil IS NOT NULL
       SET s.failures = s.failures + 1, s.failure = $reason, s.failingSince = coalesce(s.failingSince, datetime())
       RETURN s.failures AS failures`,
      { tenant, id, replica: this.replica, reason },
    );
    return rows[0]?.failures;
  }

  /** Ends the serving for a reason. @returns whether it was this replica's to end */
  async giveUp({ tenant, id }: LeaseKey, reason: string, oldest?: number): Promise<boolean> {
    const rows = await this.write(
      `${matched} SET s.updatedAt = datetime()
       WITH s WHERE s.replica = $replica AND s.leaseUntil IS NOT NULL
       SET s.leaseUntil = null, s.pausedAt = datetime(), s.pauseReason = $reason, s.oldest = $oldest
       RETURN 1 AS one`,
      { tenant, id, replica: this.replica, reason, oldest: oldest === undefined ? null : neo4j.int(oldest) },
    );
    return rows.length > 0;
  }

  /**
   * Renews the leases of what this replica serves, and keeps how far each has come past what doesn't concern it.
   * @returns those that it serves on
   */
  renew(served: readonly (LeaseKey & { position?: number })[], leaseMs: number): Promise<LeaseKey[]> {
    return this.database.write(async (tx) => {
      const held = await renewLeases(tx, 'ChangeSubscription', served, { replica: this.replica, leaseMs });
      await advance(tx, served, this.replica);
      return held;
    }, timeoutMs);
  }

  /** Takes what no replica serves, at most `limit`. */
  takeOver(limit: number, leaseMs: number): Promise<LeaseKey[]> {
    const { replica } = this;
    return this.database.write((tx) => takeOverLost(tx, 'ChangeSubscription', { replica, leaseMs, limit }), timeoutMs);
  }

  /** Lets others take what this replica has served. */
  async release(served: readonly LeaseKey[]): Promise<void> {
    await this.write(
      `${fixedPlan} UNWIND $in.keys AS each
       MATCH (s:ChangeSubscription {tenant: each.tenant, id: each.id}) USING INDEX SEEK s:ChangeSubscription(tenant, id)
       SET s.updatedAt = s.updatedAt
       WITH s WHERE s.replica = $replica AND s.leaseUntil IS NOT NULL
       SET s.leaseUntil = datetime()`,
      { replica: this.replica, in: { keys: served.map(({ tenant, id }) => ({ tenant, id })) } },
    );
  }

  /** How many there are that are served, and that are paused. */
  async states(): Promise<{ active: number; paused: number }> {
    const [row] = await this.read<{ active: number; all: number }>(
      `CALL () { MATCH (s:ChangeSubscription) WHERE s.leaseUntil IS NOT NULL RETURN count(*) AS active }
       CALL () { MATCH (s:ChangeSubscription) RETURN count(*) AS all }
       RETURN active, all`,
      {},
    );
    const { active = 0, all = 0 } = row ?? {};
    return { active, paused: all - active };
  }

  private async one(query: string, parameters: object): Promise<StoredSubscription | undefined> {
    const [row] = await this.write<Row>(query, parameters);
    return row && storedOf(row.subscription);
  }

  private async readOne(query: string, parameters: object): Promise<StoredSubscription | undefined> {
    const [row] = await this.read<Row>(query, parameters);
    return row && storedOf(row.subscription);
  }

  private read<Result extends object>(query: string, parameters: object): Promise<Result[]> {
    return this.database.read((tx) => rowsOf<Result>(tx, query, parameters), timeoutMs);
  }

  private write<Result extends object>(query: string, parameters: object): Promise<Result[]> {
    return this.database.write((tx) => rowsOf<Result>(tx, query, parameters), timeoutMs);
  }
}

async function rowsOf<Result extends object>(tx: Queryable, query: string, parameters: object): Promise<Result[]> {
  const { records } = await tx.run(query, { ...parameters });
  return records.map((record) => record.toObject() as Result);
}

async function advance(
  tx: Queryable,
  served: readonly (LeaseKey & { position?: number })[],
  replica: string,
): Promise<void> {
  const moved = served.flatMap(({ tenant, id, position }) =>
    position === undefined ? [] : [{ tenant, id, position: neo4j.int(position) }],
  );
  if (moved.length === 0) return;
  await tx.run(
    `${fixedPlan} UNWIND $in.moved AS each
     MATCH (s:ChangeSubscription {tenant: each.tenant, id: each.id}) USING INDEX SEEK s:ChangeSubscription(tenant, id)
     WHERE s.replica = $replica AND s.cursor < each.position
     SET s.cursor = each.position`,
    { replica, in: { moved } },
  );
}

interface Row {
  subscription: { [Name in keyof StoredSubscription]-?: StoredSubscription[Name] | null } & {
    wanted: string;
    receiver: string;
  };
}

/** As the database gives it: what is absent is null. */
function storedOf({ wanted, receiver, ...rest }: Row['subscription']): StoredSubscription {
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return { ...present, wanted: JSON.parse(wanted), receiver: JSON.parse(receiver) } as StoredSubscription;
}
