import { type AgentCard, Role, type SendMessageRequest, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { A2AError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import { ConcordError } from '../../../base/errors.ts';
import { refuse } from '../../../base/reasons.ts';
import type { AgentEndpoint, RegisteredAgentWithCard } from '../../../wire/agents.ts';
import { brokenAnswer, refused } from './failures.ts';
import { retryableIn, shaped } from './jsonRpc.ts';
import type { Outgoing, RemoteAgent, RemoteReport, RemoteState, RemoteStatus } from './remoteAgent.ts';
import { answerOf, artifactOf, saidIn, shapes } from './reports.ts';

const states: Partial<Record<TaskState, RemoteState>> = {
  [TaskState.TASK_STATE_SUBMITTED]: 'working',
  [TaskState.TASK_STATE_WORKING]: 'working',
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'input-required',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'input-required',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'canceled',
  [TaskState.TASK_STATE_REJECTED]: 'rejected',
};

/** An agent of A2A 1.0 or 0.3 over JSON-RPC or HTTP+JSON, by the SDK's client. @throws ConcordError `capability-mismatch` */
export async function a2aAgent(agent: RegisteredAgentWithCard, fetch: typeof globalThis.fetch): Promise<RemoteAgent> {
  const endpoint = endpointOf(agent);
  const isStreaming = agent.capabilities.includes('streaming');
  const options = { fetchImpl: fetch, legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
    // A message is answered as soon as there is a task.
    clientConfig: { polling: true },
  });
  const client = await factory.createFromAgentCard(cardOf(agent, endpoint, isStreaming));
  return {
    send: (message, signal) =>
      isStreaming
        ? streamed(client.sendMessageStream(requestOf(message), { signal }), signal)
        : once(() => client.sendMessage(requestOf(message), { signal }), signal),
    get: (id, signal) => known(() => client.getTask({ ...toAll, id, historyLength: 0 }, { signal }), signal),
    ...(isStreaming && {
      follow: (id: string, signal: AbortSignal) =>
        streamed(client.resubscribeTask({ ...toAll, id }, { signal }), signal),
    }),
    // A2A 0.3 lists no tasks over JSON-RPC.
    ...(isNew(endpoint) && { find: (message: Outgoing, signal: AbortSignal) => found(client, message, signal) }),
    async cancel(id, signal) {
      await attempt(() => client.cancelTask({ ...toAll, id, metadata: undefined }, { signal }), signal);
    },
  };
}

const toAll = { tenant: '' };
const isNew = ({ version = '0.3' }: AgentEndpoint) => /^1(\.|$)/.test(version);
const isOld = ({ version = '0.3' }: AgentEndpoint) => /^0\.3(\.|$)/.test(version);

/** The first that is spoken here, of those of A2A 1.0 before those of 0.3. */
function endpointOf({ id, endpoints }: RegisteredAgentWithCard): AgentEndpoint {
  const spoken = endpoints.filter(({ binding }) => binding === 'JSONRPC' || binding === 'HTTP+JSON');
  const found = spoken.find(isNew) ?? spoken.find(isOld);
  if (found) return found;
  const message = `The agent ${id} has no address for A2A 1.0 or 0.3 over JSON-RPC or HTTP+JSON`;
  throw refuse('capability-mismatch', message);
}

const interfaces = z.looseObject({
  supportedInterfaces: z.array(z.looseObject({ url: z.string(), protocolBinding: z.string(), tenant: z.string() })),
});

/** What the SDK's client needs to know of it. */
function cardOf({ card, name }: RegisteredAgentWithCard, endpoint: AgentEndpoint, streaming: boolean): AgentCard {
  const { url, binding: protocolBinding, version = '0.3' } = endpoint;
  const given = interfaces.safeParse(card);
  const own = given.data?.supportedInterfaces.find(
    (each) => each.url === url && each.protocolBinding === protocolBinding,
  );
  return {
    name,
    description: '',
    version: '',
    supportedInterfaces: [
      { url, protocolBinding, tenant: own?.tenant ?? '', protocolVersion: isNew(endpoint) ? '1.0' : version },
    ],
    provider: undefined,
    documentationUrl: undefined,
    capabilities: { streaming, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  };
}

function requestOf({ messageId, conversation, taskId = '', parts, skill, metadata }: Outgoing): SendMessageRequest {
  return {
    ...toAll,
    message: {
      messageId,
      contextId: conversation,
      taskId,
      role: Role.ROLE_USER,
      parts,
      metadata: { ...metadata, ...(skill !== undefined && { skill }) },
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}

async function* streamed(
  events: AsyncGenerator<StreamResponse, void>,
  signal: AbortSignal,
): AsyncGenerator<RemoteReport, void> {
  try {
    for (;;) {
      const step = await attempt(() => events.next(), signal);
      if (step.done) return;
      const { payload } = step.value;
      if (!payload) throw brokenAnswer('an event is empty');
      yield reportOf(payload.$case, payload.value);
    }
  } finally {
    events.return().catch(() => {});
  }
}

async function* once(send: () => Promise<object>, signal: AbortSignal): AsyncGenerator<RemoteReport, void> {
  const answer = await attempt(send, signal);
  yield reportOf('messageId' in answer ? 'message' : 'task', answer);
}

async function known(get: () => Promise<object>, signal: AbortSignal): Promise<RemoteReport | undefined> {
  try {
    return reportOf('task', await attempt(get, signal, false));
  } catch (error) {
    if (error instanceof TaskNotFoundError) return undefined;
    throw asConcord(error, signal);
  }
}

/** By the conversation, which was chosen for this message alone. */
async function found(client: Client, message: Outgoing, signal: AbortSignal): Promise<RemoteReport | undefined> {
  const { conversation: contextId } = message;
  const { tasks } = await attempt(
    () =>
      client.listTasks(
        { ...toAll, contextId, status: 0, pageToken: '', statusTimestampAfter: undefined, includeArtifacts: true },
        { signal },
      ),
    signal,
  );
  const own = tasks.find((task) => task.contextId === contextId);
  return own && reportOf('task', own);
}

type Kind = 'task' | 'message' | 'statusUpdate' | 'artifactUpdate';

function reportOf(kind: Kind, value: object): RemoteReport {
  if (kind === 'message') {
    const { parts, contextId } = shaped(shapes.message, value);
    return {
      ...conversationOf(contextId),
      artifacts: [answerOf(parts)],
      status: { state: 'completed', text: '', data: [] },
    };
  }
  if (kind === 'artifactUpdate') {
    const { taskId, contextId, artifact, append } = shaped(shapes.artifactUpdate, value);
    return { taskId, ...conversationOf(contextId), artifacts: [artifactOf(artifact, append)] };
  }
  if (kind === 'statusUpdate') {
    const { taskId, contextId, status } = shaped(shapes.statusUpdate, value);
    return { taskId, ...conversationOf(contextId), artifacts: [], status: statusOf(status) };
  }
  const { id: taskId, contextId, status, artifacts } = shaped(shapes.task, value);
  return {
    taskId,
    ...conversationOf(contextId),
    artifacts: artifacts.map((each) => artifactOf(each)),
    status: statusOf(status),
  };
}

const conversationOf = (contextId: string) => (contextId === '' ? {} : { conversation: contextId });

function statusOf({ state, message }: z.output<typeof shapes.status>): RemoteStatus {
  const known = states[state as TaskState];
  if (known === undefined) throw brokenAnswer('a task has no state that A2A knows');
  return { state: known, ...saidIn(message?.parts) };
}

/** @param translates whether what fails is thrown as a ConcordError */
async function attempt<T>(work: () => Promise<T>, signal: AbortSignal, translates = true): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translates ? asConcord(error, signal) : error;
  }
}

function asConcord(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ConcordError) return error;
  if (signal.aborted) return signal.reason;
  const { cause } = error as Error;
  if (cause instanceof ConcordError) return cause;
  const told = error instanceof A2AError ? error : cause;
  // What the SDK says of an answer that it can't read quotes it.
  if (!(told instanceof A2AError)) return brokenAnswer('it is not of its protocol', error);
  const { envelopeCode: agentCode, data } = told as { envelopeCode?: number; data?: unknown };
  return refused(told.message, { ...(agentCode !== undefined && { agentCode }), ...retryableIn(data) });
}
