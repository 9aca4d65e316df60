import type {
  LiveAnswer,
  Patch,
  QueryLanguage,
  QueryResult,
  QueryWishes,
  Update,
  UpdateResult,
} from '../wire/types.ts';
import { Agents, type Delegation, delegationMessage, type Workflow, workflowMessage } from './agents.ts';
import { requireKnowledgeGraph, requireLanguage, requireSubscriptions, requireTasks } from './capabilities.ts';
import { type AgentCard, fetchCard } from './card.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { Reviews } from './review.ts';
import { Rpc } from './rpc.ts';
import { type SubscribeOptions, Subscription, Subscriptions } from './subscription.ts';
import { type SendOptions, Tasks } from './tasks.ts';
import type { Task } from './taskTypes.ts';

/** KnowledgeQueryParams, and how to call. */
export interface QueryOptions extends CallOptions {
  taskId?: string;
  sessionId?: string;
  /** 0 to 1. */
  requiredCertainty?: number;
  maxAgeSeconds?: number;
  /** GraphQL, unless it is said. */
  queryLanguage?: QueryLanguage;
  metadata?: QueryWishes;
}

/**
 * Fetches an agent's card and makes a client of the endpoint that it names. It holds no connection open.
 * @param url the agent's base address (`https://concord.example.org`), or that of its card
 * @throws AgentCardError, TransportError, the reason of the signal
 */
export async function connect(url: string | URL, options: ClientOptions = {}): Promise<ConcordClient> {
  const { card, endpoint } = await fetchCard(url, options);
  return new ConcordClient(card, new Rpc(endpoint, options));
}

/** The knowledge graph of one agent. `connect` makes it. Knowledge graph extension 1.0, section 4. */
export class ConcordClient {
  /** The agent's card, as it was fetched. */
  readonly card: AgentCard;
  readonly agents: Agents;
  readonly review: Reviews;
  readonly subscriptions: Subscriptions;
  readonly tasks: Tasks;
  private readonly rpc: Rpc;

  constructor(card: AgentCard, rpc: Rpc) {
    this.card = card;
    this.rpc = rpc;
    this.agents = new Agents(rpc, () => requireKnowledgeGraph(card));
    this.review = new Reviews(rpc, () => requireKnowledgeGraph(card));
    this.subscriptions = new Subscriptions(rpc, () => requireSubscriptions(card));
    this.tasks = new Tasks(rpc, (streaming) => requireTasks(card, streaming));
  }

  /**
   * Asks a query, in GraphQL unless the options say Cypher; of Cypher the data is `{ rows }`.
   * @throws CapabilityError, KnowledgeQueryError and every other ConcordClientError, the reason of the signal
   */
  async query<Data = Record<string, unknown>>(
    query: string,
    variables?: Record<string, unknown>,
    options: QueryOptions = {},
  ): Promise<QueryResult<Data>> {
    const { signal, timeoutMs, headers, queryLanguage = 'graphql', ...said } = options;
    requireLanguage(this.card, queryLanguage);
    const params = { query, queryLanguage, variables, ...said };
    return this.rpc.call<QueryResult<Data>>('knowledge/query', params, { signal, timeoutMs, headers });
  }

  /**
   * Proposes patches, or entities by the vocabulary's names: all are applied, or none. An update without an idempotency
   * key is given one, so that it is applied once however often its answer is lost on the way. A proposal that the rules
   * reject is an answer (`success: false`) and not an error.
   * @throws CapabilityError, KnowledgeUpdateError, AlignmentViolationError and every other ConcordClientError, the
   *   reason of the signal
   */
  async update(change: Patch[] | Update, options: CallOptions = {}): Promise<UpdateResult> {
    requireKnowledgeGraph(this.card);
    const { metadata, ...update } = Array.isArray(change) ? { mutations: change, metadata: {} } : change;
    const params = {
      sourceAgentId: this.rpc.agentId,
      ...update,
      metadata: { ...metadata, idempotencyKey: metadata?.idempotencyKey ?? crypto.randomUUID() },
    };
    return this.rpc.call<UpdateResult>('knowledge/update', params, options);
  }

  /**
   * The changes that a GraphQL subscription asks for, as they are committed, until the signal aborts.
   * @throws CapabilityError; its iteration throws KnowledgeSubscriptionError and every other ConcordClientError
   */
  subscribe(
    subscriptionQuery: string,
    variables?: Record<string, unknown>,
    options: SubscribeOptions = {},
  ): Subscription {
    requireSubscriptions(this.card);
    const { taskId, sessionId, metadata, snapshot } = options;
    const params = {
      subscriptionQuery,
      queryLanguage: 'graphql',
      variables,
      taskId,
      sessionId,
      metadata: snapshot ? { ...metadata, snapshot } : metadata,
    };
    return new Subscription(this.rpc, params, options);
  }

  /**
   * The answer of a GraphQL query, and again whenever it has become another, until the signal aborts. After a lost
   * connection it begins with the answer as it is then.
   * @throws CapabilityError; its iteration throws KnowledgeSubscriptionError and every other ConcordClientError
   */
  live<Data = Record<string, unknown>>(
    query: string,
    variables?: Record<string, unknown>,
    options: Omit<SubscribeOptions, 'after' | 'snapshot' | 'onSnapshot'> = {},
  ): Subscription<LiveAnswer<Data> & { data: Data }> {
    requireSubscriptions(this.card);
    const { taskId, sessionId, metadata } = options;
    const params = {
      subscriptionQuery: query,
      variables,
      taskId,
      sessionId,
      metadata: { ...metadata, answers: 'whole' },
    };
    return new Subscription(this.rpc, params, options);
  }

  /**
   * Hands a task on to another agent that is registered, and waits for what becomes of it: the task here has the agent's
   * artifacts, and where it has failed says why. To one that waits for input `tasks.send` passes the answer on, and
   * `tasks.cancel` cancels it at the agent too.
   * @throws CapabilityError and every other ConcordClientError, the reason of the signal
   */
  async delegate(delegation: Delegation, options: SendOptions = {}): Promise<Task> {
    const { task } = await this.tasks.send(delegationMessage(delegation), options);
    if (!task) throw new Error('The agent does not delegate');
    return task;
  }

  /**
   * Has agents do the steps of a workflow, and waits for what becomes of it: its task has the artifact `workflow`, with
   * how each step stands and the results of the last ones. Where a step waits for an answer it is `input-required`, and
   * `tasks.send` passes the answer on.
   * @throws CapabilityError and every other ConcordClientError, the reason of the signal
   */
  async coordinate(workflow: Workflow, options: SendOptions = {}): Promise<Task> {
    const { task } = await this.tasks.send(workflowMessage(workflow), options);
    if (!task) throw new Error('The agent does not coordinate');
    return task;
  }
}
