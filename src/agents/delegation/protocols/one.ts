import { Part } from '@a2a-js/sdk';
import { z } from 'zod';
import { ConcordError } from '../../../base/errors.ts';
import { isObject } from '../../../base/isObject.ts';
import type { RegisteredAgentWithCard } from '../../../wire/agents.ts';
import {
  concordAgent,
  type Envelope,
  envelope,
  envelopeVersion,
  headersOf,
  type WrittenEnvelope,
} from '../../envelopes/envelope.ts';
import type { Seals } from '../../envelopes/seals.ts';
import type { Conversations } from '../../events/conversations.ts';
import { brokenAnswer } from './failures.ts';
import { shaped } from './jsonRpc.ts';
import { remoteTaskIn, reportOf } from './oneReports.ts';
import { delegationMember, type Outgoing, type RemoteAgent } from './remoteAgent.ts';

/** For whom an agent is asked, and where its answers come. */
export interface Behalf {
  tenant: string;
  /** The task that is handed on. */
  taskId: string;
  /** Whose it is; empty for the local principal. */
  owner: string;
  conversations: Conversations;
  /** Where Concord takes messages, as others reach it. */
  endpoint(): string;
  seals: Seals;
}

/** How often the graph is asked for what another replica has heard. */
const lookMs = 1_000;

const wishes = z.looseObject({ deadline: z.string().optional(), priority: z.string().optional() });

/**
 * An agent of ONE: a message is posted to it, and what it says comes in the answer, or later in messages of its own.
 * One conversation is one task, under the id of that. It can be asked for again under its `messageId`, and not cancelled.
 */
export async function oneAgent(
  { id: agentId, endpoints: [endpoint] }: RegisteredAgentWithCard,
  fetch: typeof globalThis.fetch,
  behalf: Behalf,
): Promise<RemoteAgent> {
  const url = endpoint?.url ?? '';
  const { tenant, conversations, seals } = behalf;
  const heardIn = (correlationId: string) => conversations.heard({ tenant, correlationId }, agentId);
  const get = async (correlationId: string) => reportOf(correlationId, await heardIn(correlationId));
  return {
    async *send(outgoing, signal) {
      const { conversation: correlationId } = outgoing;
      const remoteTask = outgoing.taskId === undefined ? undefined : remoteTaskIn(await heardIn(correlationId));
      const message = messageOf(behalf, { agentId, url, remoteTask }, outgoing);
      const noted = {
        ...notedOf(behalf, correlationId),
        messageId: message.messageId,
        messageType: message.message.type,
      };
      const isFirst = outgoing.taskId === undefined;
      await conversations.says({ ...noted, from: concordAgent, to: agentId, ...(isFirst && delegated) });
      const answer = await posted(fetch, url, await seals.seal(message), signal);
      if (answer) {
        const { given, body } = answer;
        requireAnswer(given, agentId, correlationId);
        const { content: opened, signature } = await seals.open(tenant, given, body).catch(asBroken);
        const { messageId, message: said } = given;
        const content = JSON.stringify({ type: said.type, content: opened });
        const kept = { ...notedOf(behalf, correlationId), messageId, messageType: said.type, content, signature };
        await conversations.hears({ ...kept, from: agentId, to: concordAgent, ...meaningOf(said.type) });
      }
      yield await get(correlationId);
    },
    get,
    async *follow(correlationId, signal) {
      for (let seen = -1; ; ) {
        // Before it is read, so that nothing is missed that comes meanwhile.
        const change = conversations.change({ tenant, correlationId }, lookMs, signal);
        change.catch(() => {});
        const heard = await heardIn(correlationId);
        if (heard.length !== seen) yield reportOf(correlationId, heard);
        seen = heard.length;
        await change;
      }
    },
    async find({ conversation }) {
      const heard = await heardIn(conversation);
      return heard.length === 0 ? undefined : reportOf(conversation, heard);
    },
  };
}

const delegated = { means: 'a2a_task_delegated' } as const;

/** What a message that answers means for the task. */
export function meaningOf(type: string): { means?: 'a2a_task_completed' } {
  return type === 'task_result' || type === 'task_rejection' || type === 'error' ? { means: 'a2a_task_completed' } : {};
}

const notedOf = ({ tenant, taskId, owner }: Behalf, correlationId: string) => ({
  tenant,
  taskId,
  owner,
  correlationId,
});

/** Whatever is wrong with a seal of a stranger's. */
function asBroken(error: unknown): never {
  throw error instanceof ConcordError ? brokenAnswer(error.message, error) : error;
}

function requireAnswer({ from, correlationId }: Envelope, agentId: string, expected: string): void {
  if (from.agentId !== agentId) throw brokenAnswer('it is of another agent');
  if (correlationId !== expected) throw brokenAnswer('it is of another conversation than the one that it answers');
}

function messageOf(
  { tenant, endpoint }: Behalf,
  { agentId, url, remoteTask }: { agentId: string; url: string; remoteTask: string | undefined },
  { messageId, conversation, taskId, parts, skill, metadata }: Outgoing,
): WrittenEnvelope {
  const { deadline, priority } = wishes.parse(metadata[delegationMember] ?? {});
  const now = Date.now();
  const until = deadline === undefined ? undefined : Date.parse(deadline);
  const said = saidIn(parts);
  const content =
    taskId === undefined
      ? delegationOf(said, skill, { callback: endpoint(), deadline: until })
      : { taskId: remoteTask ?? taskId, ...(said.text !== '' && { answer: said.text }), ...dataOf(said) };
  return {
    ...{ version: envelopeVersion, messageId, correlationId: conversation, timestamp: now, groupId: tenant },
    from: { agentId: concordAgent, endpoint: endpoint(), capabilities: [] },
    to: { agentId, endpoint: url },
    message: {
      type: taskId === undefined ? 'task_delegation' : 'response',
      content,
      mimeType: 'application/json',
    },
    metadata: {
      ...(priority !== undefined && { priority }),
      ...(until !== undefined && { timeout: Math.max(1, until - now) }),
      [delegationMember]: metadata[delegationMember],
    },
  };
}

type Said = ReturnType<typeof saidIn>;

function delegationOf(said: Said, skill: string | undefined, beside: object) {
  const { text } = said;
  const { skill: _, ...parameters } = said.data;
  const inWords = skill !== undefined && text !== '' ? { message: text } : {};
  return {
    task: skill ?? text,
    parameters,
    ...inWords,
    ...(said.files.length > 0 && { parts: said.files }),
    ...beside,
  };
}

const dataOf = ({ data, files }: Said) => ({
  ...(Object.keys(data).length > 0 && { data }),
  ...(files.length > 0 && { parts: files }),
});

/** ONE has no parts: of a message the texts, the data and what is neither. */
function saidIn(parts: readonly Part[]) {
  const contents = parts.map(({ content }) => content);
  const texts = contents.flatMap((content) => (content?.$case === 'text' ? [content.value] : []));
  const data = contents.flatMap((each) => (each?.$case === 'data' && isObject(each.value) ? [each.value] : []));
  const files = parts.filter(({ content }) => content?.$case === 'raw' || content?.$case === 'url');
  return {
    text: texts.join('\n'),
    data: Object.assign({}, ...data) as Record<string, unknown>,
    files: files.map((part) => Part.toJSON(part)),
  };
}

/** Posts a message. @returns what it is answered with; undefined where that says only that it has come */
async function posted(
  fetch: typeof globalThis.fetch,
  url: string,
  message: WrittenEnvelope,
  signal: AbortSignal,
): Promise<{ given: Envelope; body: unknown } | undefined> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headersOf(message) },
    body: JSON.stringify(message),
    signal,
  });
  const text = await response.text();
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw brokenAnswer('it is no JSON', error);
  }
  if (response.status === 202 && !(isObject(value) && 'message' in value)) return undefined;
  return { given: shaped(envelope, value), body: value };
}
