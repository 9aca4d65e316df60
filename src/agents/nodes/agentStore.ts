import neo4j from 'neo4j-driver';
import { refuse } from '../../base/reasons.ts';
import type { Database } from '../../graph/database/database.ts';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { quoted } from '../../graph/names/names.ts';
import { fuzzyFirst } from '../../graph/search/fuzzyFirst.ts';
import { duration } from '../../graph/statements/values.ts';
import type { AgentProtocol, AgentStatus } from '../../wire/agents.ts';
import { type KeySet, keySet } from '../cards/signature.ts';
import {
  type AgentKey,
  type AgentRow,
  type AgentTexts,
  propertiesOf,
  type Registration,
  registrationProperties,
  returned,
  returnedSize,
  returnedTexts,
  returnedWithCard,
  returnedWords,
  type SizedAgent,
  type WordedAgent,
  wordsOf,
} from './registered.ts';
import { type Registrar, requireRight, type Standing } from './rights.ts';
import { tenantPrefix } from './searchWords.ts';

const timeoutMs = 10_000;
const wordsAtOnce = 20;
/** Characters that the cards of a page say, which are many times as many as those of usual ones. */
const longestPage = 1024 * 1024;
const matched = `${fixedPlan} MATCH (a:Agent {tenant: $tenant, id: $id}) USING INDEX SEEK a:Agent(tenant, id)`;
const listed = `${fixedPlan} MATCH (a:Agent) USING INDEX SEEK a:Agent(tenant, registeredAt)`;
const each = `${fixedPlan} UNWIND $in.ids AS id
  MATCH (a:Agent {tenant: $tenant, id: id}) USING INDEX SEEK a:Agent(tenant, id) WHERE a.registeredAt IS NOT NULL`;
const removed = registrationProperties.map((name) => `a.${quoted(name)} = null`).join(', ');

/** Which agents are looked for. */
export interface Wanted {
  protocol?: AgentProtocol;
  status?: AgentStatus;
  /** At most so many. */
  first: number;
}

const wanted = '($protocol IS NULL OR a.protocol = $protocol) AND ($status IS NULL OR a.status = $status)';

/** Of an agent that is reached elsewhere than before, what was known by its address is forgotten. */
const registering = `${matched}
  WITH a, a.card IS NULL OR a.card <> $properties.card AS isChanged, a.registeredAt IS NULL AS isNew,
    coalesce(a.cardUrl, '') = coalesce($properties.cardUrl, '') AS isSameAddress,
    coalesce(a.status, '') = $status AS isSameStatus,
    coalesce(a.endpoints, '') = $properties.endpoints AS isReachedAlike
  SET a += $properties, a.addedBy = CASE WHEN isNew OR $isItself THEN $by ELSE a.addedBy END,
    a.registeredAt = coalesce(a.registeredAt, datetime()),
    a.changedAt = CASE WHEN isChanged THEN datetime() ELSE a.changedAt END,
    a.lastSeen = CASE WHEN $isItself OR $fresh IS NOT NULL THEN datetime() WHEN isSameAddress THEN a.lastSeen END,
    a.status = $status, a.statusSince = CASE WHEN isSameStatus THEN a.statusSince ELSE datetime() END,
    a.failures = 0, a.failure = null, a.failingSince = null, a.etag = $etag, a.freshUntil = datetime() + $fresh,
    a.replica = null, a.leaseUntil = datetime() + $again
  WITH a, $keepsCredentials AND isSameAddress AND isReachedAlike AS keeps
  CALL (a, keeps) {
    WITH a WHERE NOT keeps
    OPTIONAL MATCH (c:AgentCredentials {tenant: a.tenant, id: a.id}) USING INDEX SEEK c:AgentCredentials(tenant, id)
    DELETE c
  }
  FOREACH (given IN CASE WHEN $credentials IS NULL THEN [] ELSE [$credentials] END |
    CREATE (c:AgentCredentials {tenant: a.tenant, id: a.id, scheme: given.scheme, sealed: given.sealed,
      keyId: given.keyId, createdAt: datetime()}))`;

const removing = `${matched}
  SET ${removed}
  WITH a
  CALL (a) {
    OPTIONAL MATCH (c:AgentCredentials {tenant: a.tenant, id: a.id}) USING INDEX SEEK c:AgentCredentials(tenant, id)
    DELETE c
  }
  WITH a WHERE a.trust IS NULL AND NOT EXISTS { (a)--() }
  DELETE a`;

/** Registered agents. They are the same nodes that updates and tasks come from. */
export class AgentStore {
  constructor(
    private readonly database: Database,
    /** The most that a tenant has registered, of which two that come at once may both be the last; and from when on an
     * agent is looked at again, in milliseconds. */
    private readonly limits: { most: number; againMs: number },
  ) {}

  /** @throws ConcordError `foreign-registration` */
  async requireRight({ tenant, id }: AgentKey, by: Registrar): Promise<void> {
    const standing = await this.database.read((tx) => standingOf(tx, { tenant, id }), timeoutMs);
    if (standing) requireRight(id, by, standing);
  }

  /**
   * Registers an agent, or replaces what is registered of it.
   * @throws ConcordError `foreign-registration`, `agents-full`
   */
  async register(key: AgentKey, by: Registrar, registration: Registration): Promise<AgentRow> {
    const parameters = this.parametersOf(key.tenant, registration);
    return this.write(async (tx) => {
      const standing = await lock(tx, key);
      requireRight(key.id, by, standing);
      if (!standing.isRegistered) await this.requireRoom(tx, key.tenant);
      await tx.run(registering, { ...key, ...parameters, by: by.agentId ?? '', isItself: by.agentId === key.id });
      return required((await rowsOf(tx, `${matched} ${returned}`, { ...key }))[0]);
    });
  }

  /**
   * The node stays where something else is known of the agent.
   * @returns whether there was one
   * @throws ConcordError `foreign-registration`
   */
  remove(key: AgentKey, by: Registrar): Promise<boolean> {
    return this.write(async (tx) => {
      await tx.run(`${matched} SET a.updatedAt = a.updatedAt`, { ...key });
      const standing = await standingOf(tx, key);
      if (!standing?.isRegistered) return false;
      requireRight(key.id, by, standing);
      await tx.run(removing, { ...key });
      return true;
    });
  }

  async find({ tenant, id }: AgentKey): Promise<AgentRow | undefined> {
    const query = `${matched} WHERE a.registeredAt IS NOT NULL ${returnedWithCard}`;
    const [row] = await this.read(query, { tenant, id });
    return row;
  }

  /** The keys that an agent is registered with, where they are within the limits, and who has registered it. */
  async keysOf({ tenant, id }: AgentKey): Promise<{ keys: KeySet; addedBy: string } | undefined> {
    type Row = { keys: string | null; addedBy: string | null };
    const query = `${matched} WHERE a.registeredAt IS NOT NULL RETURN a {.keys, .addedBy} AS agent`;
    const [row] = await this.read<Row>(query, { tenant, id });
    const parsed = row?.keys ? keySet.safeParse(JSON.parse(row.keys)) : undefined;
    return parsed?.success ? { keys: parsed.data, addedBy: row?.addedBy ?? '' } : undefined;
  }

  /**
   * The tenant's, who was registered first comes first, as many as a page holds.
   * @param after the last one of the page before
   * @returns whether there are more too
   */
  async list(
    tenant: string,
    { first, protocol, status }: Wanted,
    after?: AgentRow,
  ): Promise<{ rows: AgentRow[]; isMore: boolean }> {
    const sized = await this.read<SizedAgent>(
      `${listed} WHERE a.tenant = $tenant AND a.registeredAt >= datetime($at)
         AND (a.registeredAt > datetime($at) OR a.id > $id) AND ${wanted}
       WITH a ORDER BY a.registeredAt, a.id LIMIT $first ${returnedSize}`,
      {
        ...{ tenant, at: after?.registeredAt ?? '0001-01-01T00:00:00Z', id: after?.id ?? '' },
        // One more tells whether there is another page.
        ...{ protocol: protocol ?? null, status: status ?? null, first: neo4j.int(first + 1) },
      },
    );
    const ids = onePage(sized, first);
    return { rows: await this.rows(tenant, ids), isMore: ids.length < sized.length };
  }

  /**
   * The tenant's agents that have a text like one of the words, likest first: candidates, of which the caller says how
   * like they are. Of cards there may be 256 KiB each, so that no more of them is read than is compared.
   * @param skill, tag which it is told of whether they have them
   */
  async like(tenant: string, words: string[], asked: Wanted & { skill?: string; tag?: string }): Promise<AgentTexts[]> {
    const { first, protocol, status, skill = '', tag = '' } = asked;
    const ask = (query: string) =>
      this.read<AgentTexts>(
        `CALL db.index.fulltext.queryNodes('agent_words', $query) YIELD node AS a
         WITH a WHERE a.tenant = $tenant AND a.registeredAt IS NOT NULL AND ${wanted}
         WITH a LIMIT $first ${returnedTexts}`,
        {
          ...{ tenant, query, first: neo4j.int(first), protocol: protocol ?? null, status: status ?? null },
          ...{ skill: skill.toLowerCase(), tag: tag.toLowerCase() },
        },
      );
    return fuzzyFirst(words, ask, tenantPrefix(tenant));
  }

  /** Has those found too that were registered when their words were not kept yet. */
  async keepWords(): Promise<void> {
    for (let found = wordsAtOnce; found === wordsAtOnce; ) {
      const rows = await this.read<WordedAgent>(
        `MATCH (a:Agent) WHERE a.tenant IS NOT NULL AND a.registeredAt IS NOT NULL AND a.searchWords IS NULL
         WITH a LIMIT $most ${returnedWords}`,
        { most: neo4j.int(wordsAtOnce) },
      );
      const words = rows.map((row) => ({ tenant: row.tenant, id: row.id, words: wordsOf(row.tenant, row) }));
      await this.write(
        async (tx) =>
          await tx.run(
            `${fixedPlan} UNWIND $in.words AS each
             MATCH (a:Agent {tenant: each.tenant, id: each.id}) USING INDEX SEEK a:Agent(tenant, id)
             SET a.updatedAt = a.updatedAt
             WITH a, each WHERE a.searchWords IS NULL AND a.registeredAt IS NOT NULL
             SET a.searchWords = each.words`,
            { in: { words } },
          ),
      );
      found = rows.length;
    }
  }

  /** Those of these that are registered, in their order, as many as a page holds. */
  async some(tenant: string, ids: string[]): Promise<AgentRow[]> {
    const sized = await this.read<SizedAgent>(`${each} ${returnedSize}`, { tenant, in: { ids } });
    const sizes = new Map(sized.map((agent) => [agent.id, agent]));
    const ordered = ids.flatMap((id) => sizes.get(id) ?? []);
    return this.rows(tenant, onePage(ordered, ids.length));
  }

  private async rows(tenant: string, ids: string[]): Promise<AgentRow[]> {
    const rows = await this.read(`${each} ${returned}`, { tenant, in: { ids } });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  private async requireRoom(tx: Queryable, tenant: string): Promise<void> {
    const { records } = await tx.run<{ count: number }>(
      `${listed} WHERE a.tenant = $tenant AND a.registeredAt IS NOT NULL RETURN count(*) AS count`,
      { tenant },
    );
    const { most: limit } = this.limits;
    if ((records[0]?.get('count') ?? 0) < limit) return;
    throw refuse('agents-full', `${limit} agents are registered, which is the limit; remove one`, { limit });
  }

  private parametersOf(tenant: string, { fetched, credentials, ...registration }: Registration) {
    return {
      properties: propertiesOf(tenant, registration),
      status: fetched ? 'up' : 'unknown',
      etag: fetched?.etag ?? null,
      fresh: fetched ? duration(fetched.freshMs) : null,
      again: fetched ? duration(this.limits.againMs) : null,
      credentials: credentials ?? null,
      keepsCredentials: credentials === undefined,
    };
  }

  private read<Row = AgentRow>(query: string, parameters: object): Promise<Row[]> {
    return this.database.read((tx) => rowsOf<Row>(tx, query, parameters), timeoutMs);
  }

  private write<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.database.write(work, timeoutMs);
  }
}

/** Those of a page: at most so many, and so long together. There is one at least, however long. */
function onePage(sized: SizedAgent[], first: number): string[] {
  let characters = 0;
  const page = sized.slice(0, first).filter(({ size }, at) => {
    characters += size;
    return at === 0 || characters <= longestPage;
  });
  return page.map(({ id }) => id);
}

/** Locks the agent's node, which is made where there is none. */
async function lock(tx: Queryable, { tenant, id }: AgentKey): Promise<Standing> {
  await tx.run(`${fixedPlan} MERGE (a:Agent {tenant: $tenant, id: $id}) SET a.updatedAt = datetime()`, { tenant, id });
  return required(await standingOf(tx, { tenant, id }));
}

async function standingOf(tx: Queryable, { tenant, id }: AgentKey): Promise<Standing | undefined> {
  const { records } = await tx.run<{ standing: Standing }>(
    `${matched} RETURN {isRegistered: a.registeredAt IS NOT NULL, addedBy: coalesce(a.addedBy, ''),
       isKnown: a.trust IS NOT NULL OR EXISTS { (a)-[:PROPOSED|ASKED]->() }} AS standing`,
    { tenant, id },
  );
  return records[0]?.get('standing');
}

async function rowsOf<Row = AgentRow>(tx: Queryable, query: string, parameters: object): Promise<Row[]> {
  const { records } = await tx.run<{ agent: Row }>(query, { ...parameters });
  return records.map((record) => record.get('agent'));
}

function required<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Error('The agent was not written');
  return found;
}
