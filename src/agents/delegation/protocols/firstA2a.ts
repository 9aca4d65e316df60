import type { Part } from '@a2a-js/sdk';
import { z } from 'zod';
import type { RegisteredAgentWithCard } from '../../../wire/agents.ts';
import { brokenAnswer } from './failures.ts';
import { post, RpcRefusal, resultIn, resultsOf, shaped } from './jsonRpc.ts';
import type { Outgoing, RemoteAgent, RemoteReport, RemoteState } from './remoteAgent.ts';
import { artifactOf, saidIn, shapes } from './reports.ts';

/** There is no task of the id. */
const taskNotFound = -32001;

const part = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('data'), data: z.unknown() }),
    z.looseObject({
      type: z.literal('file'),
      file: z.looseObject({
        name: z.string().nullish(),
        mimeType: z.string().nullish(),
        bytes: z.string().nullish(),
        uri: z.string().nullish(),
      }),
    }),
  ])
  .transform((given): z.input<typeof shapes.artifact>['parts'][number] => {
    const plain = { metadata: undefined, filename: '', mediaType: '' };
    if (given.type === 'text') return { ...plain, content: { $case: 'text', value: given.text } };
    if (given.type === 'data') return { ...plain, content: { $case: 'data', value: given.data } };
    const { name, mimeType, bytes, uri } = given.file;
    const file = { metadata: undefined, filename: name ?? '', mediaType: mimeType ?? '' };
    if (bytes != null) return { ...file, content: { $case: 'raw', value: Buffer.from(bytes, 'base64') } };
    return { ...file, content: { $case: 'url', value: uri ?? '' } };
  });

const message = z.looseObject({ parts: z.array(part) });
const status = z.looseObject({ state: z.string(), message: message.nullish() });
const artifact = z.looseObject({
  parts: z.array(part),
  name: z.string().nullish(),
  description: z.string().nullish(),
  index: z.int().min(0).nullish(),
  append: z.boolean().nullish(),
});
const report = z.looseObject({
  id: z.string().min(1, 'is empty').max(512, 'is longer than 512 characters'),
  status: status.optional(),
  artifacts: z.array(artifact).max(100, 'has more than 100').nullish(),
  artifact: artifact.optional(),
});

const states: Record<string, RemoteState> = {
  submitted: 'working',
  working: 'working',
  unknown: 'working',
  'input-required': 'input-required',
  completed: 'completed',
  canceled: 'canceled',
  failed: 'failed',
};

/** An agent of the first A2A (April 2025). The id of its task is the id of the message that begins it. */
export async function firstA2aAgent(
  { endpoints: [endpoint], capabilities }: RegisteredAgentWithCard,
  fetch: typeof globalThis.fetch,
): Promise<RemoteAgent> {
  const url = endpoint?.url ?? '';
  const isStreaming = capabilities.includes('streaming');
  const ask = async (method: string, params: object, signal: AbortSignal): Promise<RemoteReport> => {
    const { response, id } = await post(fetch, url, { method, params }, signal);
    return reportOf(resultIn(await response.text(), id));
  };
  const get = (id: string, signal: AbortSignal) =>
    unlessUnknown(() => ask('tasks/get', { id, historyLength: 0 }, signal));
  return {
    send: (outgoing, signal) =>
      isStreaming
        ? streamed(() =>
            post(fetch, url, { method: 'tasks/sendSubscribe', params: paramsOf(outgoing), streaming: true }, signal),
          )
        : sent(() => ask('tasks/send', paramsOf(outgoing), signal)),
    get,
    ...(isStreaming && {
      follow: (id: string, signal: AbortSignal) =>
        streamed(() => post(fetch, url, { method: 'tasks/resubscribe', params: { id }, streaming: true }, signal)),
    }),
    find: (outgoing, signal) => get(taskIdOf(outgoing), signal),
    async cancel(id, signal) {
      await translated(() => ask('tasks/cancel', { id }, signal));
    },
  };
}

/** The client chooses it. */
const taskIdOf = ({ taskId, messageId }: Outgoing) => taskId ?? messageId;

function paramsOf(outgoing: Outgoing): object {
  const { conversation: sessionId, parts, skill, metadata } = outgoing;
  const said = { ...metadata, ...(skill !== undefined && { skill }) };
  return {
    id: taskIdOf(outgoing),
    sessionId,
    message: { role: 'user', parts: parts.map(partOf), metadata: said },
    metadata: said,
  };
}

function partOf({ content, filename: name, mediaType: mimeType }: Part): object {
  const file = { ...(name && { name }), ...(mimeType && { mimeType }) };
  if (content?.$case === 'data') return { type: 'data', data: content.value };
  if (content?.$case === 'raw') return { type: 'file', file: { ...file, bytes: content.value.toString('base64') } };
  if (content?.$case === 'url') return { type: 'file', file: { ...file, uri: content.value } };
  return { type: 'text', text: content?.value ?? '' };
}

async function* sent(ask: () => Promise<RemoteReport>): AsyncGenerator<RemoteReport, void> {
  yield await translated(ask);
}

async function* streamed(open: () => Promise<{ response: Response; id: string }>): AsyncGenerator<RemoteReport, void> {
  const { response, id } = await open();
  try {
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      for await (const result of resultsOf(response, id)) yield reportOf(result);
    } else yield reportOf(resultIn(await response.text(), id));
  } catch (error) {
    throw error instanceof RpcRefusal ? error.toConcordError() : error;
  }
}

function reportOf(value: unknown): RemoteReport {
  const { id: taskId, status: given, artifacts, artifact: single } = shaped(report, value);
  const all = [...(artifacts ?? []), ...(single ? [single] : [])];
  return {
    taskId,
    artifacts: all.map((each, at) => {
      const { name, description, parts, index, append } = each;
      // It tells artifacts apart by their place.
      const plain = { artifactId: `artifact-${index ?? at}`, name: name ?? '', description: description ?? '', parts };
      return artifactOf(shaped(shapes.artifact, plain), each === single && append === true);
    }),
    ...(given && { status: statusOf(given) }),
  };
}

function statusOf({ state, message: said }: z.output<typeof status>) {
  const known = states[state];
  if (known === undefined) throw brokenAnswer('a task has no state that the first A2A knows');
  return { state: known, ...saidIn(said?.parts) };
}

async function unlessUnknown(ask: () => Promise<RemoteReport>): Promise<RemoteReport | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (error.code === taskNotFound) return undefined;
    throw error.toConcordError();
  }
}

async function translated<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof RpcRefusal ? error.toConcordError() : error;
  }
}
