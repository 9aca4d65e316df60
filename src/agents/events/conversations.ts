import { EventEmitter } from 'node:events';
import { refuse } from '../../base/reasons.ts';
import type { Database } from '../../graph/database/database.ts';
import { fixedPlan, type Queryable } from '../../graph/database/queryable.ts';
import { endedStates } from '../../tasks/nodes/taskState.ts';
import { type MessageEvents, type Noted, type NotedMessage, noteIn } from './messageEvents.ts';

/** One conversation of a tenant's. */
export interface ConversationKey {
  tenant: string;
  correlationId: string;
}

/** What an agent has said in a conversation, as it came. */
export interface Heard {
  /** JSON of `{type, content}`. */
  content: string;
  /** Whether Concord has said something since. */
  isOlder: boolean;
}

const timeoutMs = 10_000;
/** Messages of an agent in one conversation. */
export const mostHeard = 1_000;
/** Characters of what it says in them, of which all is read whenever something is said. */
export const longestHeard = 20_000_000;

const found = `${fixedPlan} MATCH (e:AgentEvent) USING INDEX SEEK e:AgentEvent(tenant, correlationId, at)
  WHERE e.tenant = $tenant AND e.correlationId = $correlationId AND e.at IS NOT NULL AND e.agent = $agent`;

/**
 * Conversations that Concord has begun with agents that answer by messages of their own. What they say is kept as
 * events, so that whichever replica it comes to, the one that waits for it hears of it.
 */
export class Conversations {
  private readonly news = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly database: Database,
    private readonly events: MessageEvents,
  ) {}

  /** Keeps that Concord says something. */
  async says(message: Omit<NotedMessage, 'direction'>): Promise<void> {
    await this.events.note({ ...message, direction: 'sent' });
  }

  /**
   * Keeps what an agent says in a conversation that was begun with it, and lets who waits know.
   * @returns as of every message
   * @throws ConcordError `unknown-correlation`, `too-many-requests`
   */
  async hears(message: Omit<NotedMessage, 'direction' | 'owner' | 'taskId'>): Promise<Noted> {
    const { tenant, correlationId, from: agent } = message;
    const noted = await this.database.write(async (tx) => {
      const task = await awaitedBy(tx, { tenant, correlationId }, agent);
      // The task is locked by now: of several that come at once each sees those before it.
      await requireRoom(tx, { tenant, correlationId }, agent, message.content?.length ?? 0);
      return noteIn(tx, { ...message, ...task, direction: 'received' });
    }, timeoutMs);
    this.news.emit(textOf({ tenant, correlationId }));
    return noted;
  }

  /** What an agent has said in a conversation, the oldest first. That it has come is told too, and says nothing. */
  async heard({ tenant, correlationId }: ConversationKey, agent: string): Promise<Heard[]> {
    const { records } = await this.database.read(
      async (tx) =>
        await tx.run<{ heard: Heard }>(
          `${found}
           WITH e, e.type = 'a2a_message_sent' AS isSaid
           WITH collect({e: e, isSaid: isSaid}) AS all
           WITH [each IN all WHERE each.isSaid AND each.e.taskId IS NOT NULL | each.e.at] AS said,
             [each IN all WHERE NOT each.isSaid | each.e] AS heard
           UNWIND heard AS e
           WITH e, said WHERE e.type = 'a2a_message_received' AND e.content IS NOT NULL
           WITH e, any(at IN said WHERE at > e.at) AS isOlder ORDER BY e.at, e.id
           RETURN {content: e.content, isOlder: isOlder} AS heard`,
          { tenant, correlationId, agent },
        ),
      timeoutMs,
    );
    return records.map((record) => record.get('heard'));
  }

  /** Waits for something to be said, for so many milliseconds at most: another replica may have heard it. */
  async change(key: ConversationKey, mostMs: number, signal: AbortSignal): Promise<void> {
    const name = textOf(key);
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.news.off(name, done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, mostMs);
      this.news.once(name, done);
      signal.addEventListener('abort', done);
    });
    signal.throwIfAborted();
  }
}

/** The task that waits for what an agent says, which is locked. @throws ConcordError `unknown-correlation` */
async function awaitedBy(tx: Queryable, { tenant, correlationId }: ConversationKey, agent: string) {
  const { records } = await tx.run<{ taskId: string; owner: string | null }>(
    `${found} AND e.type = 'a2a_message_sent' AND e.taskId IS NOT NULL
     WITH collect(e.taskId)[0] AS taskId
     MATCH (t:Task {tenant: $tenant, id: taskId})-[d:DELEGATED_TO]->(:Agent {id: $agent})
       USING INDEX SEEK t:Task(tenant, id)
     WHERE NOT coalesce(t.state, '') IN $in.ended AND coalesce(d.conversation, d.messageId) = $correlationId
     SET t.updatedAt = t.updatedAt
     RETURN t.id AS taskId, t.owner AS owner`,
    { tenant, correlationId, agent, in: { ended: endedStates } },
  );
  const [row] = records;
  if (!row) throw unknownCorrelation(correlationId);
  return { taskId: row.get('taskId'), owner: row.get('owner') ?? '' };
}

/** @throws ConcordError `too-many-requests` */
async function requireRoom(
  tx: Queryable,
  { tenant, correlationId }: ConversationKey,
  agent: string,
  further: number,
): Promise<void> {
  const { records } = await tx.run<{ heard: number; length: number }>(
    `${found} AND e.type = 'a2a_message_received'
     RETURN count(e) AS heard, sum(size(coalesce(e.content, ''))) AS length`,
    { tenant, correlationId, agent },
  );
  const { heard = 0, length = 0 } = records[0]?.toObject() ?? {};
  if (heard >= mostHeard) throw full(mostHeard, 'messages');
  if (length + further > longestHeard) throw full(longestHeard, 'characters');
}

function full(limit: number, what: string) {
  const message = `The conversation has the ${limit} ${what} that it may have`;
  return refuse('too-many-requests', message, { limit, retryable: false });
}

/** Nothing was asked of an agent in the conversation that it names. */
export function unknownCorrelation(correlationId: string) {
  return refuse('unknown-correlation', `Nothing was asked of you under the correlationId ${correlationId}`);
}

const textOf = ({ tenant, correlationId }: ConversationKey) => JSON.stringify([tenant, correlationId]);
