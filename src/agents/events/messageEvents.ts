import { createHash, randomUUID } from 'node:crypto';
import neo4j from 'neo4j-driver';
import type { Database } from '../../graph/database/database.ts';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { dateTime } from '../../graph/statements/values.ts';

/** What has happened between two agents; ONE, "Multi-Tenancy & Groups". */
export const eventTypes = [
  'a2a_message_sent',
  'a2a_message_received',
  'a2a_task_delegated',
  'a2a_task_completed',
] as const;

export type EventType = (typeof eventTypes)[number];

/** One message, on its way to Concord or from it. */
export interface NotedMessage {
  tenant: string;
  direction: 'sent' | 'received';
  messageId: string;
  messageType: string;
  correlationId: string;
  /** Ids of agents. */
  from: string;
  to: string;
  /** On whose behalf it is sent, or whose task it is about; empty for the local principal. */
  owner: string;
  taskId?: string;
  /** Whether it begins a task, which has the id that its event is given. */
  begins?: boolean;
  priority?: string;
  /** Milliseconds. */
  timeout?: number;
  maxRetries?: number;
  backoff?: string;
  /** Whether it is signed by its sender: `verified`, `none` or `unchecked`. */
  signature?: string;
  /** Of what it says, for who must know whether a message that comes again is the same. */
  digest?: string;
  /** What it says, as JSON, where another replica is to read it. */
  content?: string;
  /** What it means for a task beside that it came or went. */
  means?: 'a2a_task_delegated' | 'a2a_task_completed';
}

/** What is known of a message that has come. */
export interface Noted {
  /** Whether it is to be handled: it has not come before, or was refused then. */
  isNew: boolean;
  digest: string | null;
  /** The id of the task that it begins, if it does: the same whenever it comes, and nobody can know it beforehand. */
  taskId: string;
  /** Since it came first. */
  ageMs: number;
}

/** Which events are wanted, newest first. */
export interface WantedEvents {
  tenant: string;
  /** Only those of this agent, or on its behalf; absent for who may see all of the tenant. */
  seenBy?: string;
  agent?: string;
  correlationId?: string;
  type?: EventType;
  /** Milliseconds since 1970. */
  since?: number;
  until?: number;
  first: number;
}

/** An event, as it is told. */
export interface MessageEvent {
  id: string;
  type: EventType;
  /** ISO 8601. */
  at: string;
  from: string;
  to: string;
  messageId: string;
  messageType: string;
  correlationId: string;
  taskId?: string;
  priority?: string;
  timeout?: number;
  /** Of one that has come: `verified`, `none`, or `unchecked` where no key of the sender is known. */
  signature?: string;
}

const timeoutMs = 10_000;

/**
 * The task comes first, whose node is locked by who writes it too. An event that comes before its task is linked with
 * the next one that is of it.
 */
const noting = `${fixedPlan}
  OPTIONAL MATCH (t:Task {tenant: $tenant, id: $taskId}) USING INDEX SEEK t:Task(tenant, id)
  CALL (t) { WITH t WHERE t IS NOT NULL SET t.updatedAt = t.updatedAt }
  MERGE (e:AgentEvent {tenant: $tenant, key: $key})
    ON CREATE SET e += $in.message, e.id = $id, e.turn = $id, e.at = datetime()
    ON MATCH SET e.turn = CASE WHEN e.isRefused THEN $id ELSE e.turn END,
      e.digest = CASE WHEN e.isRefused THEN $in.message.digest ELSE e.digest END, e.isRefused = null
  WITH t, e, e.id = $id AS isCreated
  CALL (t, e, isCreated) {
    WITH t, e, isCreated WHERE isCreated
    MERGE (a:Agent {tenant: $tenant, id: e.agent})
    FOREACH (_ IN CASE WHEN $direction = 'sent' THEN [1] ELSE [] END | CREATE (e)-[:SENT_TO]->(a))
    FOREACH (_ IN CASE WHEN $direction = 'sent' THEN [] ELSE [1] END | CREATE (e)-[:SENT_BY]->(a))
    FOREACH (type IN $in.means |
      CREATE (m:AgentEvent {tenant: $tenant, key: $key + '-' + type, id: $id + '-' + type})-[:BY_MESSAGE]->(e)
      SET m += $in.message, m.type = type, m.content = null, m.at = e.at)
  }
  CALL (t) {
    WITH t WHERE t IS NOT NULL
    MATCH (of:AgentEvent {tenant: $tenant, taskId: $taskId}) USING INDEX SEEK of:AgentEvent(tenant, taskId)
    WHERE NOT (of)-[:OF_TASK]->()
    CREATE (of)-[:OF_TASK]->(t)
  }
  RETURN e.turn = $id AS isNew, e.digest AS digest, coalesce(e.taskId, e.id) AS taskId,
    duration.inSeconds(e.at, datetime()).seconds * 1000 AS ageMs`;

/** Messages between agents as event nodes: each is one, and found by its agent, its time and its conversation. */
export class MessageEvents {
  constructor(private readonly database: Database) {}

  /** Keeps that a message has come or goes. One that comes again is told from one that is new. */
  note(message: NotedMessage): Promise<Noted> {
    return this.database.write((tx) => noteIn(tx, message), timeoutMs);
  }

  /** Has a message that was refused handled anew when it comes again. */
  async refused(message: Pick<NotedMessage, 'tenant' | 'direction' | 'from' | 'messageId'>): Promise<void> {
    const { tenant } = message;
    await this.database.write(
      async (tx) =>
        await tx.run(
          `${fixedPlan} MATCH (e:AgentEvent {tenant: $tenant, key: $key}) USING INDEX SEEK e:AgentEvent(tenant, key)
           SET e.isRefused = true`,
          { tenant, key: keyOf(message) },
        ),
      timeoutMs,
    );
  }

  /** @returns the newest first */
  async list(wanted: WantedEvents): Promise<MessageEvent[]> {
    const { tenant, seenBy, agent, correlationId, type, since, until, first } = wanted;
    const { records } = await this.database.read(
      async (tx) =>
        await tx.run<{ event: MessageEvent }>(listing(wanted), {
          ...{ tenant, agent: agent ?? null, correlationId: correlationId ?? null, seenBy: seenBy ?? null },
          ...{ type: type ?? null, since: dateTime(since ?? 0), until: dateTime(until ?? endOfTime) },
          first: neo4j.int(first),
        }),
      timeoutMs,
    );
    return records.map((record) => withoutNulls(record.get('event')));
  }
}

/** Keeps that a message has come or goes, in the transaction of what must be so at that moment. */
export async function noteIn(tx: Queryable, message: NotedMessage): Promise<Noted> {
  const { tenant, direction, means, begins = false, taskId = null, ...rest } = message;
  const id = randomUUID();
  const properties = {
    ...rest,
    taskId: begins ? id : taskId,
    type: direction === 'sent' ? 'a2a_message_sent' : 'a2a_message_received',
    agent: direction === 'sent' ? rest.to : rest.from,
    ...(rest.timeout !== undefined && { timeout: neo4j.int(rest.timeout) }),
    ...(rest.maxRetries !== undefined && { maxRetries: neo4j.int(rest.maxRetries) }),
  };
  const { records } = await tx.run<Noted & Record<string, unknown>>(noting, {
    ...{ tenant, direction, taskId, id, key: keyOf(message) },
    in: { message: properties, means: means ? [means] : [] },
  });
  const [row] = records;
  if (!row) throw new Error('The message was not noted');
  return row.toObject();
}

/** Of a sender no two messages have one id; ids may be longer than what the key of a node holds. */
function keyOf({ direction, from, messageId }: Pick<NotedMessage, 'direction' | 'from' | 'messageId'>): string {
  return createHash('sha256')
    .update(JSON.stringify([direction, from, messageId]))
    .digest('base64url');
}

const endOfTime = Date.UTC(9999, 11, 31);

/** By the index of what is asked for. */
function listing({ agent, correlationId }: WantedEvents): string {
  const found =
    correlationId !== undefined
      ? '(tenant, correlationId, at) WHERE e.tenant = $tenant AND e.correlationId = $correlationId'
      : agent !== undefined
        ? '(tenant, agent, at) WHERE e.tenant = $tenant AND e.agent = $agent'
        : '(tenant, at) WHERE e.tenant = $tenant';
  return `${fixedPlan} MATCH (e:AgentEvent) USING INDEX SEEK e:AgentEvent${found}
    AND e.at >= $since AND e.at <= $until AND ($agent IS NULL OR e.agent = $agent)
    AND ($type IS NULL OR e.type = $type) AND ($seenBy IS NULL OR e.agent = $seenBy OR e.owner = $seenBy)
    WITH e ORDER BY e.at DESC, e.id LIMIT $first
    RETURN e {.id, .type, .from, .to, .messageId, .messageType, .correlationId, .taskId, .priority, .timeout, .signature,
      at: toString(e.at)} AS event`;
}

function withoutNulls(event: MessageEvent): MessageEvent {
  const known = Object.entries(event).filter(([, value]) => value !== null);
  return { ...(Object.fromEntries(known) as unknown as MessageEvent), at: new Date(event.at).toISOString() };
}

const batch = 1_000;

/**
 * Removes some of what is older than a time.
 * @param before milliseconds since 1970
 * @returns whether there may be more
 */
export async function removeOldEvents(tx: Queryable, before: number): Promise<boolean> {
  const { records } = await tx.run<{ removed: number }>(
    `${fixedPlan} MATCH (e:AgentEvent) USING INDEX SEEK e:AgentEvent(at) WHERE e.at < $before
     WITH e LIMIT $limit
     DETACH DELETE e
     RETURN count(*) AS removed`,
    { before: dateTime(before), limit: neo4j.int(batch) },
  );
  return records[0]?.get('removed') === batch;
}
