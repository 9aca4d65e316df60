import { setTimeout as wait } from 'node:timers/promises';
import { type Artifact, type Message, type Part, Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';

/** How long a task works that the kit subscribes to again. */
const longMs = 5_000;

const base = { metadata: undefined, filename: '', mediaType: '' };
const text = (value: string): Part => ({ ...base, content: { $case: 'text', value } });
const file = { ...base, filename: 'output.txt', mediaType: 'text/plain' };

/** One message, what it came with and where its events go. */
class Turn {
  readonly request: RequestContext;
  private readonly bus: ExecutionEventBus;

  constructor(request: RequestContext, bus: ExecutionEventBus) {
    this.request = request;
    this.bus = bus;
  }

  private get ids() {
    const { taskId, contextId } = this.request;
    return { taskId, contextId };
  }

  begin(): void {
    const { task, taskId: id, contextId, userMessage } = this.request;
    const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: timestamp() };
    const { artifacts = [], history = [userMessage], metadata } = task ?? {};
    this.bus.publish(AgentEvent.task({ id, contextId, status, artifacts, history, metadata }));
  }

  state(state: TaskState, said?: string): void {
    const message = said === undefined ? undefined : this.message(said);
    this.bus.publish(
      AgentEvent.statusUpdate({
        ...this.ids,
        status: { state, message, timestamp: timestamp() },
        metadata: undefined,
      }),
    );
  }

  artifact(part: Part, { artifactId = 'output', append = false, lastChunk = true } = {}): void {
    const artifact: Artifact = {
      artifactId,
      name: artifactId,
      description: '',
      parts: [part],
      metadata: undefined,
      extensions: [],
    };
    this.bus.publish(AgentEvent.artifactUpdate({ ...this.ids, artifact, append, lastChunk, metadata: undefined }));
  }

  answer(said: string): void {
    this.bus.publish(AgentEvent.message({ ...this.message(said), taskId: '' }));
  }

  private message(said: string): Message {
    return {
      ...this.ids,
      messageId: crypto.randomUUID(),
      role: Role.ROLE_AGENT,
      parts: [text(said)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

const working = (turn: Turn) => turn.state(TaskState.TASK_STATE_WORKING);
const completed = (turn: Turn, said?: string) => turn.state(TaskState.TASK_STATE_COMPLETED, said);

const finished = (part: Part) => (turn: Turn) => {
  turn.artifact(part);
  completed(turn);
};
const streamed = (part: Part) => (turn: Turn) => {
  working(turn);
  finished(part)(turn);
};

/**
 * What the kit wants of the agent, by the prefix of the message's id, as the kit's `scenarios/*.feature` say; the first
 * that fits.
 */
const scenarios: [prefix: string, play: (turn: Turn) => void | Promise<void>][] = [
  ['tck-artifact-file-url', finished({ ...file, content: { $case: 'url', value: 'https://example.com/output.txt' } })],
  ['tck-artifact-file', finished({ ...file, content: { $case: 'raw', value: Buffer.from('output') } })],
  ['tck-artifact-text', finished(text('Generated text content'))],
  ['tck-artifact-data', finished({ ...base, content: { $case: 'data', value: { key: 'value', count: 42 } } })],
  ['tck-input-required', (turn) => turn.state(TaskState.TASK_STATE_INPUT_REQUIRED, 'More, please')],
  ['tck-reject-task', (turn) => turn.state(TaskState.TASK_STATE_REJECTED, 'rejected')],
  ['tck-stream-001', streamed(text('Stream hello from TCK'))],
  ['tck-stream-003', streamed(text('Stream task lifecycle'))],
  ['tck-stream-ordering-001', streamed(text('Ordered output'))],
  ['tck-stream-artifact-text', streamed(text('Streamed text content'))],
  ['tck-stream-artifact-file', streamed({ ...file, content: { $case: 'raw', value: Buffer.from('output') } })],
  [
    'tck-stream-artifact-chunked',
    (turn) => {
      working(turn);
      turn.artifact(text('chunk-1 '), { lastChunk: false });
      turn.artifact(text('chunk-2'), { append: true });
      completed(turn);
    },
  ],
  [
    'test-resubscribe-message-id',
    async (turn) => {
      working(turn);
      await wait(longMs);
      completed(turn);
    },
  ],
];

/**
 * The agent that A2A's conformance kit tests: it does what the ids of messages say. It is no part of the product.
 * @param otherwise what it does with other messages: the kit for 1.0 wants their tasks completed, that for 0.3 goes on
 *   with them
 */
export const kitAgent = (otherwise: 'completed' | 'input-required'): AgentExecutor => ({
  async execute(request, bus) {
    const turn = new Turn(request, bus);
    const { messageId } = request.userMessage;
    if (messageId.startsWith('tck-message-response')) return turn.answer('Direct message response');
    turn.begin();
    const scenario = scenarios.find(([prefix]) => messageId.startsWith(prefix));
    if (scenario) await scenario[1](turn);
    else if (otherwise === 'completed') completed(turn, 'Hello from TCK');
    else turn.state(TaskState.TASK_STATE_INPUT_REQUIRED, 'Hello from TCK');
  },
  async cancelTask(taskId, bus) {
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId: '',
        status: { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: timestamp() },
        metadata: undefined,
      }),
    );
  },
});

function timestamp(): string {
  return new Date().toISOString();
}
