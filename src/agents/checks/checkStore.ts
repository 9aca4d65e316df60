import neo4j from 'neo4j-driver';
import type { Database } from '../../graph/database/database.ts';
import { fixedPlan } from '../../graph/database/queryable.ts';
import { duration } from '../../graph/statements/values.ts';
import type { CardSignature } from '../../wire/agents.ts';
import type { CheckedCard } from '../cards/checkCard.ts';
import { type AgentKey, cardProperties } from '../nodes/registered.ts';

/** An agent as who looks at it needs it. */
export interface CheckedAgent {
  cardUrl: string;
  /** As it is kept: JSON. */
  card: string;
  etag?: string;
  /** As they were registered, whatever the limits were then. */
  keys?: unknown;
  ownTags: string[];
  signature: CardSignature;
  /** Whether its card need not be fetched again. */
  isFresh: boolean;
}

/** What a look has found where the address answered as it should. */
export interface Seen {
  /** Absent where the card need not have been fetched, or was as before. */
  card?: CheckedCard;
  etag?: string;
  /** Milliseconds; absent where the card was not asked for. */
  freshMs?: number;
}

/** An agent that was taken. */
export interface TakenAgent extends AgentKey {
  host: string;
}

/** How many more may be looked at. */
interface Room {
  limit: number;
  /** Those that are looked at now, by tenant and by host. */
  running: { tenants: Record<string, number>; hosts: Record<string, number> };
  /** For how long an agent is left to this replica. */
  leaseMs: number;
}

/** Agents of a tenant, and at a host, that are looked at at a time, so that slow ones hold up only their own. */
const mostOfTenant = 4;
const mostAtHost = 4;
/** Of those whose time has come, how many are looked through at a time. */
const lookedAt = 500;

const taking = `${fixedPlan} MATCH (a:Agent) USING INDEX SEEK a:Agent(leaseUntil) WHERE a.leaseUntil < datetime()
  WITH a, split(coalesce(a.cardUrl, ''), '/')[2] AS address
  WITH a, coalesce(split(address, CASE WHEN address STARTS WITH '[' THEN ']' ELSE ':' END)[0], '') AS host
  WITH a, host, toInteger($most.tenant - coalesce($running.tenants[a.tenant], 0)) AS ofTenant,
    toInteger($most.host - coalesce($running.hosts[host], 0)) AS atHost
  WHERE ofTenant > 0 AND atHost > 0
  WITH a, host, ofTenant, atHost ORDER BY a.leaseUntil LIMIT $most.looked
  WITH a.tenant AS tenant, ofTenant, collect({a: a, host: host, atHost: atHost}) AS all
  UNWIND all[..ofTenant] AS each
  WITH each.host AS host, each.atHost AS atHost, collect(each.a) AS all
  UNWIND all[..atHost] AS a
  WITH a, host ORDER BY a.leaseUntil LIMIT $limit
  SET a.updatedAt = datetime()
  WITH a, host WHERE a.leaseUntil < datetime()
  SET a.replica = $replica, a.leaseUntil = datetime() + $lease
  RETURN {tenant: a.tenant, id: a.id, host: host} AS agent`;

/** Failures in a row after which an agent counts as down: one may be the network's. */
const downAfter = 2;
const timeoutMs = 10_000;
const held = `${fixedPlan} MATCH (a:Agent {tenant: $tenant, id: $id}) USING INDEX SEEK a:Agent(tenant, id)
  SET a.updatedAt = datetime()
  WITH a WHERE a.replica = $replica AND a.cardUrl = $cardUrl`;

/**
 * Which agents are to be looked at. `leaseUntil` says until when an agent is left alone: while a replica looks at it,
 * and from then on until the next look. Where a replica is gone that has begun to look, another does.
 */
export class CheckStore {
  /** @param replica this one */
  constructor(
    private readonly database: Database,
    private readonly replica: string,
  ) {}

  /**
   * Takes agents whose time has come, the longest overdue first, as many as there is room for; of one tenant, and at
   * one host, no more than their share.
   */
  take({ limit, running, leaseMs }: Room): Promise<TakenAgent[]> {
    const { replica } = this;
    const most = { tenant: neo4j.int(mostOfTenant), host: neo4j.int(mostAtHost), looked: neo4j.int(lookedAt) };
    const parameters = { replica, running, most, limit: neo4j.int(limit), lease: duration(leaseMs) };
    return this.database.write(async (tx) => {
      const { records } = await tx.run<{ agent: TakenAgent }>(taking, parameters);
      return records.map((record) => record.get('agent'));
    }, timeoutMs);
  }

  /** One that this replica has taken; undefined where it is gone or registered anew meanwhile. */
  async find({ tenant, id }: AgentKey): Promise<CheckedAgent | undefined> {
    type Row = Omit<CheckedAgent, 'etag' | 'keys'> & { etag: string | null; keys: string | null };
    const { records } = await this.database.read(
      async (tx) =>
        await tx.run<{ agent: Row }>(
          `${fixedPlan} MATCH (a:Agent {tenant: $tenant, id: $id}) USING INDEX SEEK a:Agent(tenant, id)
           WHERE a.replica = $replica AND a.cardUrl IS NOT NULL
           RETURN a {.cardUrl, .card, .etag, .keys, .ownTags, .signature,
             isFresh: coalesce(a.freshUntil > datetime(), false)} AS agent`,
          { tenant, id, replica: this.replica },
        ),
      timeoutMs,
    );
    const row = records[0]?.get('agent');
    if (!row) return undefined;
    const { etag, keys, ...rest } = row;
    return { ...rest, ...(etag !== null && { etag }), ...(keys !== null && { keys: JSON.parse(keys) }) };
  }

  /** Keeps that an agent was seen, and what its card says now. @param againMs until the next look */
  async seen({ tenant, id }: AgentKey, before: CheckedAgent, { card, ...seen }: Seen, againMs: number): Promise<void> {
    const properties = card && {
      ...cardProperties(tenant, card.profile, before.ownTags),
      ...{ card: card.text, signature: card.signature },
    };
    await this.write(
      `${held}
       SET a.changedAt = CASE WHEN $properties IS NULL THEN a.changedAt ELSE datetime() END
       SET a += coalesce($properties, {}), a.lastSeen = datetime(),
         a.statusSince = CASE a.status WHEN 'up' THEN a.statusSince ELSE datetime() END, a.status = 'up',
         a.failures = 0, a.failure = null, a.failingSince = null,
         a.etag = CASE WHEN $fresh IS NULL THEN a.etag ELSE $etag END,
         a.freshUntil = CASE WHEN $fresh IS NULL THEN a.freshUntil ELSE datetime() + $fresh END,
         a.replica = null, a.leaseUntil = datetime() + $again`,
      {
        ...{ tenant, id, cardUrl: before.cardUrl, properties: properties ?? null },
        etag: seen.etag ?? null,
        fresh: seen.freshMs === undefined ? null : duration(seen.freshMs),
        again: duration(againMs),
      },
    );
  }

  /**
   * Counts a look that has failed.
   * @param reason one of the table's
   * @param wait milliseconds until the next look after the first failure, and at most: they double with each
   */
  async failed(
    { tenant, id }: AgentKey,
    { cardUrl }: CheckedAgent,
    reason: string,
    { againMs, longestMs }: { againMs: number; longestMs: number },
  ): Promise<void> {
    await this.write(
      `${held}
       WITH a, coalesce(a.failures, 0) + 1 AS failures
       WITH a, failures, failures >= $downAfter AS isDown
       SET a.statusSince = CASE WHEN isDown AND a.status <> 'down' THEN datetime() ELSE a.statusSince END,
         a.status = CASE WHEN isDown THEN 'down' ELSE a.status END,
         a.failures = failures, a.failure = $reason, a.failingSince = coalesce(a.failingSince, datetime()),
         a.replica = null,
         a.leaseUntil = datetime() + duration({milliseconds: CASE
           WHEN failures > 20 OR $againMs * 2 ^ (failures - 1) > $longestMs THEN $longestMs
           ELSE toInteger($againMs * 2 ^ (failures - 1)) END})`,
      { tenant, id, cardUrl, reason, downAfter, againMs, longestMs },
    );
  }

  private async write(query: string, parameters: object): Promise<void> {
    await this.database.write(async (tx) => await tx.run(query, { ...parameters, replica: this.replica }), timeoutMs);
  }
}
