import { EventEmitter } from 'node:events';
import { refuse } from '../../base/reasons.ts';
import type { Database } from '../../graph/database/database.ts';
import { fixedPlan } from '../../graph/database/queryable.ts';
import { endedStates } from '../../tasks/nodes/taskState.ts';
import type { MessageEvents, Noted, NotedMessage } from './messageEvents.ts';

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
    const task = await this.awaitedBy({ tenant, correlationId }, agent, message.content?.length ?? 0);
    const noted = await this.events.note({ ...message, ...task, direction: 'received' });
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

  /** The task that waits for what an agent says. */
  private async awaitedBy({ tenant, correlationId }: ConversationKey, agent: string, further: number) {
    const { records } = await this.database.read(
      async (tx) =>
        await tx.run<{ taskId: string | null; owner: string | null; heard: number; length: number }>(
          `${found}
           WITH collect(e) AS events
           WITH [e IN events WHERE e.type = 'a2a_message_sent' AND e.taskId IS NOT NULL | e.taskId] AS taskIds,
             size([e IN events WHERE e.type = 'a2a_message_received']) AS heard,
             reduce(sum = 0, e IN events | sum + size(coalesce(e.content, ''))) AS length
           OPTIONAL MATCH (t:Task {tenant: $tenant, id: taskIds[0]})-[d:DELEGATED_TO]->(:Agent {id: $agent})
             USING INDEX SEEK t:Task(tenant, id)
             WHERE NOT coalesce(t.state, '') IN $in.ended AND coalesce(d.conversation, d.messageId) = $correlationId
           RETURN t.id AS taskId, t.owner AS owner, heard, length`,
          { tenant, correlationId, agent, in: { ended: endedStates } },
        ),
      timeoutMs,
    );
    const [row] = records;
    const taskId = row?.get('taskId');
    if (taskId == null) throw unknownCorrelation(correlationId);
    if ((row?.get('heard') ?? 0) >= mostHeard) throw full(mostHeard, 'messages');
    if ((row?.get('length') ?? 0) + further > longestHeard) throw full(longestHeard, 'characters');
    return { taskId, owner: row?.get('owner') ?? '' };
  }
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
