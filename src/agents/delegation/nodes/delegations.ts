import neo4j from 'neo4j-driver';
import type { Database } from '../../../graph/database/database.ts';
import { fixedPlan } from '../../../graph/database/queryable.ts';
import { letGo } from '../../../graph/leases/leases.ts';
import { dateTime } from '../../../graph/statements/values.ts';
import type { Beside } from '../../../skills/skill.ts';
import type { TaskKey } from '../../../tasks/nodes/taskNodes.ts';

/**
 * What is kept of a delegation, on the edge from its task to the agent, before anything more is done: so whichever
 * replica takes it up knows what was sent, and what to ask for.
 */
export interface Delegation {
  /** The agent's. */
  agentId: string;
  /** Of the message that was sent last, or is about to be. */
  messageId: string;
  /** The id of the task's own message that it passes on. */
  passesOn: string;
  /** From 1. */
  attempt: number;
  /**
   * Whether the agent may not have the message yet, has it, waits for an answer; or has answered, and what it states is
   * to be proposed by who comes with the right to.
   */
  state: 'sending' | 'following' | 'resting' | 'proposing';
  /** The agent's own task and conversation, once they are known. */
  remoteTaskId?: string;
  conversation?: string;
}

/** What the caller wished, for who reads the graph. */
export interface Wishes {
  /** Milliseconds since 1970. */
  deadline?: number;
  priority?: string;
}

const timeoutMs = 10_000;
const found = `${fixedPlan} MATCH (t:Task {tenant: $tenant, id: $id}) USING INDEX SEEK t:Task(tenant, id)`;
const edge = `${found} MATCH (t)-[d:DELEGATED_TO]->(a:Agent)`;
/** The task is locked first, as by who writes it: else the one waits for the other, and is run again a second later. */
const lockedEdge = `${found} SET t.updatedAt = datetime() WITH t MATCH (t)-[d:DELEGATED_TO]->(a:Agent)`;

/**
 * Delegations as edges: `(:Task)-[:DELEGATED_TO]->(:Agent)` and `(:Agent)-[:COMMUNICATES_WITH]->(:Agent)`.
 * What changes one is written beside its task, in the transaction of that.
 */
export class Delegations {
  constructor(private readonly database: Database) {}

  /** Keeps that a task is about to be sent to an agent. @param caller who delegates; empty for the local principal */
  begin(
    { tenant, id }: TaskKey,
    caller: string,
    { agentId, messageId, passesOn }: Pick<Delegation, 'agentId' | 'messageId' | 'passesOn'>,
    { deadline, priority }: Wishes,
  ): Beside {
    return writing(
      `${fixedPlan} MATCH (t:Task {tenant: $tenant, id: $id}) USING INDEX SEEK t:Task(tenant, id)
       SET t.updatedAt = datetime()
       WITH t
       MATCH (a:Agent {tenant: $tenant, id: $agentId}) USING INDEX SEEK a:Agent(tenant, id)
       MERGE (t)-[d:DELEGATED_TO]->(a)
       SET d.messageId = $messageId, d.passesOn = $passesOn, d.attempt = 1, d.state = 'sending', d.since = datetime(), d.deadline = $deadline,
         d.priority = $priority
       MERGE (from:Agent {tenant: $tenant, id: $caller})
       MERGE (from)-[c:COMMUNICATES_WITH]->(a) ON CREATE SET c.since = datetime()
       SET c.lastAt = datetime()`,
      {
        ...{ tenant, id, agentId, messageId, passesOn, caller },
        deadline: deadline === undefined ? null : dateTime(deadline),
        priority: priority ?? null,
      },
    );
  }

  /** Keeps that an answer is about to be sent to the agent, for the task that it has. */
  answering({ tenant, id }: TaskKey, { messageId, passesOn }: Pick<Delegation, 'messageId' | 'passesOn'>): Beside {
    return writing(`${lockedEdge} SET d.messageId = $messageId, d.passesOn = $passesOn, d.state = 'sending'`, {
      ...{ tenant, id, messageId, passesOn },
    });
  }

  /** Keeps that the message is about to be sent once more, for another task. */
  sendingAgain({ tenant, id }: TaskKey, messageId: string, attempt: number): Beside {
    return writing(
      `${lockedEdge} SET d.messageId = $messageId, d.attempt = $attempt, d.state = 'sending', d.remoteTaskId = null,
         d.conversation = null`,
      { tenant, id, messageId, attempt: neo4j.int(attempt) },
    );
  }

  /** Keeps which task the agent has begun. */
  following({ tenant, id }: TaskKey, remoteTaskId: string, conversation: string | undefined): Beside {
    return writing(
      `${lockedEdge} SET d.state = 'following', d.remoteTaskId = $remoteTaskId,
         d.conversation = coalesce($conversation, d.conversation)`,
      { tenant, id, remoteTaskId, conversation: conversation ?? null },
    );
  }

  resting({ tenant, id }: TaskKey, state: 'resting' | 'proposing' = 'resting'): Beside {
    return writing(`${lockedEdge} SET d.state = $state`, { tenant, id, state });
  }

  /** Lets another replica take up the task at once. */
  async leave({ tenant, id }: TaskKey): Promise<void> {
    await this.database.write((tx) => letGo(tx, 'Task', { tenant, id }), timeoutMs);
  }

  async find({ tenant, id }: TaskKey): Promise<Delegation | undefined> {
    type Row = { delegation: Delegation & { remoteTaskId: string | null; conversation: string | null } };
    const { records } = await this.database.read(
      async (tx) =>
        await tx.run<Row>(
          `${edge} RETURN d {.messageId, .passesOn, .attempt, .state, .remoteTaskId, .conversation, agentId: a.id} AS delegation`,
          { tenant, id },
        ),
      timeoutMs,
    );
    const row = records[0]?.get('delegation');
    if (!row) return undefined;
    const { remoteTaskId, conversation, ...rest } = row;
    return { ...rest, ...(remoteTaskId !== null && { remoteTaskId }), ...(conversation !== null && { conversation }) };
  }
}

const writing =
  (query: string, parameters: Record<string, unknown>): Beside =>
  (tx) =>
    tx.run(query, parameters);
