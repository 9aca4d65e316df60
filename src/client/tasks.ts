import { anySignal } from './anySignal.ts';
import type { CallOptions } from './options.ts';
import { retrying } from './retry.ts';
import type { Rpc } from './rpc.ts';
import { defaultStallMs, messages } from './sse.ts';
import type {
  MessageInput,
  Part,
  PushReceiver,
  SendResult,
  Task,
  TaskEvent,
  TaskPage,
  TaskState,
} from './taskTypes.ts';

export interface SendOptions extends CallOptions {
  /** Whether to answer as soon as there is a task, instead of when it has ended or needs something. */
  returnImmediately?: boolean;
  /** The most messages of the task's history to answer with. */
  historyLength?: number;
  acceptedOutputModes?: string[];
  taskPushNotificationConfig?: PushReceiver;
  metadata?: Record<string, unknown>;
}

export interface TaskStreamOptions extends CallOptions {
  /**
   * Milliseconds of silence after which the connection counts as lost: a few heartbeats of the agent; 45,000 if left
   * out.
   */
  stallMs?: number;
}

export interface ListTasksOptions extends CallOptions {
  contextId?: string;
  status?: TaskState;
  /** 1 to 100. */
  pageSize?: number;
  /** `nextPageToken` of the page before. */
  pageToken?: string;
  historyLength?: number;
  /** ISO 8601: only tasks whose status has changed since. */
  statusTimestampAfter?: string;
  includeArtifacts?: boolean;
}

const version = { 'A2A-Version': '1.0' };

/** The tasks of an agent; A2A 1.0, section 3.1. What fails is thrown as by the other methods. */
export class Tasks {
  /** @param check throws where the agent's card doesn't offer tasks */
  constructor(
    private readonly rpc: Rpc,
    private readonly check: (streaming: boolean) => void,
  ) {}

  /**
   * Sends a message, and waits for what becomes of it unless the options say otherwise: a task may take longer than
   * `timeoutMs`. It is sent once, for a message that comes twice begins two tasks: when the connection is lost, `list`
   * says what there is.
   * @throws UnsupportedOperationError where the task has ended; TaskNotFoundError
   */
  send(message: Part[] | MessageInput, options: SendOptions = {}): Promise<SendResult> {
    return this.call<SendResult>('SendMessage', messageParams(message, options), options, false);
  }

  /**
   * Sends a message, once, and gives the events of its task until it ends or needs something. When the connection is
   * lost it throws; the task goes on, and `resubscribe` follows it.
   */
  stream(
    message: Part[] | MessageInput,
    options: Omit<SendOptions, 'returnImmediately'> & TaskStreamOptions = {},
  ): AsyncGenerator<TaskEvent, void> {
    this.check(true);
    return this.follow('SendStreamingMessage', messageParams(message, options), options, false);
  }

  /** @throws TaskNotFoundError */
  get(id: string, { historyLength, ...options }: CallOptions & { historyLength?: number } = {}): Promise<Task> {
    return this.call<Task>('GetTask', { id, historyLength }, options);
  }

  /** The caller's tasks, those whose status changed last first. */
  list({ signal, timeoutMs, headers, ...params }: ListTasksOptions = {}): Promise<TaskPage> {
    return this.call<TaskPage>('ListTasks', params, { signal, timeoutMs, headers });
  }

  /**
   * Stops a task. It is sent once: a task that is cancelled already can't be, so that a repetition would fail where the
   * first has done it.
   * @throws TaskNotCancelableError, TaskNotFoundError
   */
  cancel(id: string, options: CallOptions = {}): Promise<Task> {
    return this.call<Task>('CancelTask', { id }, options, false);
  }

  /**
   * Follows a task that is under way: the task as it is, and then its events.
   * @throws UnsupportedOperationError where it has ended; TaskNotFoundError
   */
  resubscribe(id: string, options: TaskStreamOptions = {}): AsyncGenerator<TaskEvent, void> {
    this.check(true);
    return this.follow('SubscribeToTask', { id }, options, true);
  }

  private async call<Result>(
    method: string,
    params: object,
    { signal, timeoutMs, headers }: CallOptions,
    repeatable = true,
  ): Promise<Result> {
    this.check(false);
    const options = { signal, timeoutMs, headers: { ...headers, ...version } };
    return this.rpc.call<Result>(method, params, options, repeatable);
  }

  private async *follow(
    method: string,
    params: object,
    options: TaskStreamOptions,
    repeatable: boolean,
  ): AsyncGenerator<TaskEvent, void> {
    const { timeoutMs, stallMs = defaultStallMs } = options;
    const link = anySignal([this.rpc.signal, options.signal]);
    const headers = { ...options.headers, ...version };
    const open = () => this.rpc.stream(method, params, { timeoutMs, headers, signal: link.signal });
    const retry = repeatable ? this.rpc.retry : { ...this.rpc.retry, attempts: 1 };
    try {
      const exchange = await retrying(open, retry, link.signal);
      try {
        const { body } = exchange.response;
        if (body === null) return;
        for await (const message of messages(body, stallMs)) {
          if (message.kind === 'event') yield this.rpc.resultOfEvent<TaskEvent>(message.data);
        }
      } catch (error) {
        throw exchange.failure(error);
      } finally {
        exchange.end();
      }
    } finally {
      link.release();
    }
  }
}

function messageParams(given: Part[] | MessageInput, options: SendOptions): object {
  const { returnImmediately, historyLength, acceptedOutputModes, taskPushNotificationConfig, metadata } = options;
  const input: MessageInput = Array.isArray(given) ? { parts: given } : given;
  const { messageId = crypto.randomUUID(), ...message } = input;
  return {
    message: { messageId, role: 'ROLE_USER', ...message },
    configuration: { returnImmediately, historyLength, acceptedOutputModes, taskPushNotificationConfig },
    metadata,
  };
}
