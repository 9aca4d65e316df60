import type {
  AgentRegistration,
  AgentSearch,
  FoundAgent,
  RegisteredAgent,
  RegisteredAgentWithCard,
} from '../wire/agents.ts';
import type { CallOptions } from './options.ts';
import type { Rpc } from './rpc.ts';
import type { Message, MessageInput, Part } from './taskTypes.ts';

export interface ListAgentsOptions extends CallOptions, Pick<AgentSearch, 'first' | 'protocol' | 'status'> {
  after?: string;
}

/**
 * `agents/*`, which Concord has beyond the specification: the agents that are registered in the caller's tenant. Every
 * method throws ConcordClientError, `missing-scope` without the scope `agents`. Names and descriptions are strangers'
 * texts: show them as text.
 */
export class Agents {
  constructor(
    private readonly rpc: Rpc,
    private readonly check: () => void,
  ) {}

  /**
   * Registers an agent by its card or by the address of it, or replaces its registration: the client's own agent, unless
   * an id says which.
   * @throws ConcordClientError `foreign-registration`, `invalid-card`, `card-signature`, `card-unreachable`, …
   */
  register(registration: AgentRegistration, options: CallOptions = {}): Promise<RegisteredAgent> {
    return this.call('agents/register', { id: this.rpc.agentId, ...registration }, options);
  }

  /** Who was registered first comes first: at most `first` (1 to 100; 20 if left out) behind the id `after`. */
  async list({ first, after, protocol, status, ...options }: ListAgentsOptions = {}): Promise<RegisteredAgent[]> {
    const params = { first, after, protocol, status };
    return (await this.call<{ agents: RegisteredAgent[] }>('agents/list', params, options)).agents;
  }

  /** One with its card. @throws ConcordClientError `unknown-agent` */
  get(id: string, options: CallOptions = {}): Promise<RegisteredAgentWithCard> {
    return this.call('agents/get', { id }, options);
  }

  /** The likest first. A text is looked for in skills, tags, names and descriptions. */
  async find(search: AgentSearch | string, options: CallOptions = {}): Promise<FoundAgent[]> {
    const params = typeof search === 'string' ? { words: search } : search;
    return (await this.call<{ agents: FoundAgent[] }>('agents/find', params, options)).agents;
  }

  /** It is sent once: where the connection is lost, `get` says whether it is still there. */
  async remove(id: string, options: CallOptions = {}): Promise<void> {
    await this.call('agents/remove', { id }, options, false);
  }

  private async call<Result>(method: string, params: object, options: CallOptions, repeatable = true): Promise<Result> {
    this.check();
    return this.rpc.call<Result>(method, params, options, repeatable);
  }
}

/** What another agent is to do. */
export interface Delegation {
  /** Which agent, by its id. */
  to?: string;
  /** What the agent must have: the id or name of a skill, or a tag. Without `to` the likest that has it is asked. */
  capability?: string;
  /** What is said to it: a text or parts. */
  message?: string | Part[];
  /** Beside a message or instead of one: the skill that is to be run, and with what. */
  task?: string;
  parameters?: Record<string, unknown>;
  /** Until when; ISO 8601. */
  deadline?: string | Date;
  priority?: 'low' | 'medium' | 'high' | 'critical';
  /** Further attempts (0 to 10) where the agent doesn't answer, or fails and may not the next time. */
  retry?: { max: number; backoff?: 'linear' | 'exponential' };
  /**
   * Proposes at once what the agent states in data parts with `mutations`; the task's artifacts have the verdicts. It
   * takes the scope `knowledge:update`.
   */
  then?: 'propose';
  /**
   * The message that it is done for, where an agent hands on what it was asked: so that what comes back to who has
   * handed it on already is found.
   */
  for?: Pick<Message, 'metadata'>;
}

const member = 'concord.delegation';

/** The message that asks for it. */
export function delegationMessage({ for: cause, deadline, ...delegation }: Delegation): MessageInput {
  const said = cause?.metadata?.[member];
  const data = {
    skill: 'delegate',
    ...delegation,
    ...(deadline !== undefined && { deadline: typeof deadline === 'string' ? deadline : deadline.toISOString() }),
  };
  return { parts: [{ data }], ...(said !== undefined && { metadata: { [member]: said } }) };
}

/** The result of another step in the parameters or the message of a step. */
export interface ResultReference {
  /** The step. */
  $result: string;
  /** JSON Pointer (RFC 6901); the whole result without one. */
  pointer?: string;
  /** What stands for it where there is none. */
  default?: unknown;
}

/** What a result must be; one comparison. */
export interface WorkflowCondition extends Omit<ResultReference, 'default'> {
  equals?: string | number | boolean | null;
  notEquals?: string | number | boolean | null;
  atLeast?: string | number;
  atMost?: string | number;
  exists?: boolean;
}

export interface WorkflowStep extends Pick<Delegation, 'capability' | 'task' | 'parameters' | 'retry'> {
  id: string;
  /** A registered agent by its id, or `concord/` and a skill of Concord's own: `concord/query`. */
  agent?: string;
  message?: string | Part[] | ResultReference;
  /** Steps that it comes after, beside those whose results it needs. */
  depends?: string[];
  /** Milliseconds. */
  timeout?: number;
  /** It is left out where one of them doesn't hold. */
  when?: WorkflowCondition | WorkflowCondition[];
  /** A list; the step is done for each of it, which is `{"$item": "/pointer"}`. At most `max` items (100 if left out). */
  forEach?: Omit<ResultReference, 'default'> & { max?: number };
  /** The workflow completes without it. */
  optional?: boolean;
}

export interface Workflow {
  steps: WorkflowStep[];
  /** Until when; ISO 8601. */
  deadline?: string | Date;
  /** The message that it is done for, where an agent hands on what it was asked. */
  for?: Pick<Message, 'metadata'>;
}

/** The message that asks for it. */
export function workflowMessage({ for: cause, deadline, ...workflow }: Workflow): MessageInput {
  const said = cause?.metadata?.[member];
  const data = {
    skill: 'coordinate',
    ...workflow,
    ...(deadline !== undefined && { deadline: typeof deadline === 'string' ? deadline : deadline.toISOString() }),
  };
  return { parts: [{ data }], ...(said !== undefined && { metadata: { [member]: said } }) };
}
