import { type Artifact, type Message, Part, type StreamResponse, type Task, type TaskStatus } from '@a2a-js/sdk';
import type { Event, Interrupt, JsonPatchOperation } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import { withoutControls } from '../agents/cards/controls.ts';
import { isObject } from '../base/isObject.ts';
import { isEnded, stateName } from '../tasks/nodes/taskState.ts';

/** What front ends find in their state under `concord`. */
export interface SharedState {
  /** The id of who does the task; null until it is known. */
  agent: string | null;
  task: { id: string; state: string } | null;
  /** What was said last of how far it is. */
  progress: string;
  /** What isn't text of what was made. */
  artifacts: { id: string; name: string; description: string; parts: unknown[] }[];
}

export const emptyState: SharedState = { agent: null, task: null, progress: '', artifacts: [] };

export interface TaskEventsOptions {
  agent: { id: string; name: string };
  /** What the tool call is called by which the agent is asked, and with what; absent where the task goes on. */
  asked?: { tool: string; input: object };
  /** Of the run, for ids of messages. */
  runId: string;
}

/** Of what is told as text where nothing else is. */
const longestJson = 20_000;

/**
 * The events of AG-UI that the events of a task come to, one task a run. What is shown to a person is told without
 * controls: an agent could have them obeyed by a terminal, or read as what they aren't.
 */
export class TaskEvents {
  private task: { id: string; state: string } | undefined;
  private status: TaskStatus | undefined;
  /** The message that is being written, of which artifact. */
  private open: { messageId: string; artifactId: string } | undefined;
  private messages = 0;
  private hasSaid = false;
  /** Artifacts as they stand in the state. */
  private readonly artifacts: SharedState['artifacts'] = [];
  /** Artifacts that have been told in part. */
  private readonly seen = new Set<string>();
  private toolCallId: string | undefined;

  constructor(private readonly options: TaskEventsOptions) {}

  /** @returns what is told of an event */
  take({ payload }: StreamResponse): Event[] {
    if (payload?.$case === 'task') return this.takeTask(payload.value);
    if (payload?.$case === 'message') return this.tell(textIn(payload.value));
    if (payload?.$case === 'statusUpdate') return this.takeStatus(payload.value.status);
    if (payload?.$case === 'artifactUpdate' && payload.value.artifact) {
      const { artifact, append, lastChunk } = payload.value;
      return this.takeArtifact(artifact, append, lastChunk);
    }
    return [];
  }

  /** What ends the run, where the task rests or its stream has ended. */
  rest(threadId: string): Event[] {
    const { runId } = this.options;
    const said = textIn(this.status?.message);
    const state = this.task?.state ?? 'COMPLETED';
    const finished = { type: EventType.RUN_FINISHED, threadId, runId } as const;
    const result = this.task && { taskId: this.task.id, state: this.task.state };
    if (state === 'FAILED' || state === 'REJECTED') {
      return [...this.close(said), { type: EventType.RUN_ERROR, message: said || 'The task failed', ...this.code() }];
    }
    if (state === 'CANCELED') {
      return [...this.close('cancelled'), { ...finished, result, outcome: { type: 'cancelled' } }];
    }
    if (state === 'INPUT_REQUIRED') {
      const interrupts = [interruptOf(this.task?.id ?? '', said)];
      return [...this.tell(said), ...this.close(said), { ...finished, outcome: { type: 'interrupt', interrupts } }];
    }
    const untold = this.hasSaid ? [] : this.tell(this.artifacts.length > 0 ? this.json() : said);
    return [...untold, ...this.close(said), { ...finished, result, outcome: { type: 'success' } }];
  }

  /** Ends what has begun, so that the run may end by an error. */
  close(result: string): Event[] {
    return [...this.endMessage(), ...this.endCall(result), ...this.endStep()];
  }

  private takeTask({ id, artifacts, status }: Task): Event[] {
    const begins = this.task === undefined;
    this.task = { id, state: stateName(status?.state ?? 0) };
    const told = artifacts.flatMap((artifact) => this.takeArtifact(artifact, false, true));
    return [...(begins ? this.begin(id) : []), ...told, ...this.takeStatus(status)];
  }

  private begin(taskId: string): Event[] {
    const { agent, asked } = this.options;
    const step: Event = { type: EventType.STEP_STARTED, stepName: this.stepName };
    const events = [step, delta([{ op: 'replace', path: '/concord/agent', value: agent.id }])];
    if (!asked) return events;
    this.toolCallId = taskId;
    return [
      ...events,
      { type: EventType.TOOL_CALL_START, toolCallId: taskId, toolCallName: asked.tool },
      { type: EventType.TOOL_CALL_ARGS, toolCallId: taskId, delta: JSON.stringify(asked.input) },
      { type: EventType.TOOL_CALL_END, toolCallId: taskId },
    ];
  }

  private takeStatus(status: TaskStatus | undefined): Event[] {
    if (!status || !this.task) return [];
    this.status = status;
    this.task.state = stateName(status.state);
    const said = textIn(status.message);
    const task: JsonPatchOperation = { op: 'replace', path: '/concord/task', value: { ...this.task } };
    const isProgress = said !== '' && !isEnded(this.task.state);
    return [delta(isProgress ? [task, { op: 'replace', path: '/concord/progress', value: said }] : [task])];
  }

  private takeArtifact({ artifactId, name, description, parts }: Artifact, append: boolean, last: boolean): Event[] {
    const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
    const others = parts.filter(({ content }) => content?.$case !== 'text').map((part) => Part.toJSON(part));
    const called = { name: withoutControls(name), description: withoutControls(description) };
    const goesOn = append && this.seen.has(artifactId);
    this.seen.add(artifactId);
    const events = this.write(artifactId, withoutControls(texts.join('')), goesOn);
    if (others.length > 0) events.push(this.keep({ id: artifactId, ...called, parts: others }, goesOn));
    return last ? [...events, ...this.endMessage()] : events;
  }

  private keep(artifact: SharedState['artifacts'][number], goesOn: boolean): Event {
    const at = this.artifacts.findIndex(({ id }) => id === artifact.id);
    const before = this.artifacts[at];
    if (!before) {
      this.artifacts.push({ ...artifact, parts: [...artifact.parts] });
      return delta([{ op: 'add', path: '/concord/artifacts/-', value: artifact }]);
    }
    if (goesOn) {
      // What has come before is not told anew with each further part.
      for (const part of artifact.parts) before.parts.push(part);
      return delta(artifact.parts.map((value) => ({ op: 'add', path: `/concord/artifacts/${at}/parts/-`, value })));
    }
    this.artifacts[at] = { ...artifact, parts: [...artifact.parts] };
    return delta([{ op: 'replace', path: `/concord/artifacts/${at}`, value: artifact }]);
  }

  /** One message at a time: older clients take no two that are open. */
  private write(artifactId: string, text: string, goesOn: boolean): Event[] {
    if (text === '') return [];
    this.hasSaid = true;
    const continues = goesOn && this.open?.artifactId === artifactId;
    const events = continues ? [] : [...this.endMessage(), this.beginMessage(artifactId)];
    const messageId = this.open?.messageId ?? '';
    return [...events, { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: text }];
  }

  private beginMessage(artifactId: string): Event {
    this.messages += 1;
    this.open = { artifactId, messageId: `${this.options.runId}-${this.messages}` };
    return { type: EventType.TEXT_MESSAGE_START, messageId: this.open.messageId, role: 'assistant' };
  }

  private endMessage(): Event[] {
    if (!this.open) return [];
    const { messageId } = this.open;
    this.open = undefined;
    return [{ type: EventType.TEXT_MESSAGE_END, messageId }];
  }

  /** A message of its own. */
  private tell(text: string): Event[] {
    return text === '' ? [] : [...this.write('', text, false), ...this.endMessage()];
  }

  private endCall(content: string): Event[] {
    if (this.toolCallId === undefined) return [];
    const { toolCallId } = this;
    this.toolCallId = undefined;
    const messageId = `${this.options.runId}-result`;
    return [{ type: EventType.TOOL_CALL_RESULT, messageId, toolCallId, content: content || 'done', role: 'tool' }];
  }

  private endStep(): Event[] {
    return this.task ? [{ type: EventType.STEP_FINISHED, stepName: this.stepName }] : [];
  }

  private get stepName(): string {
    return this.options.agent.name;
  }

  /** What was made, where it is no text. */
  private json(): string {
    const data = this.artifacts.flatMap(({ parts }) => parts.map((part) => (isObject(part) && part.data) || part));
    const text = withoutControls(JSON.stringify(data.length === 1 ? data[0] : data, undefined, 2));
    return text.length <= longestJson ? text : 'The answer is in the state: it is too long to be shown as a text';
  }

  private code(): { code?: string } {
    for (const { content } of this.status?.message?.parts ?? []) {
      const value: unknown = content?.$case === 'data' ? content.value : undefined;
      const error = isObject(value) ? value.error : undefined;
      const data = isObject(error) ? error.data : undefined;
      if (isObject(data) && typeof data.reason === 'string') return { code: data.reason };
    }
    return {};
  }
}

const delta = (patch: JsonPatchOperation[]): Event => ({ type: EventType.STATE_DELTA, delta: patch });

/** What an agent wants to know. The interrupt has the id of its task. */
function interruptOf(id: string, message: string): Interrupt {
  return { id, reason: 'input_required', message, responseSchema };
}

/** An answer is a text; anything else reaches the agent as data. */
const responseSchema = {
  type: 'object',
  properties: { answer: { type: 'string', description: 'What is said to the agent' } },
  required: ['answer'],
};

function textIn(message: Message | undefined): string {
  const texts = (message?.parts ?? []).flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  return withoutControls(texts.join('\n'));
}
