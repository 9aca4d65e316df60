import type { ContentPart, ResumeEntry, RunAgentInput } from '@ag-ui/core';
import { RunAgentInputSchema } from '@ag-ui/core/schemas';
import { isObject } from '../base/isObject.ts';
import { invalidParams } from '../calls/params.ts';

/** What a person has said last, in parts as A2A 1.0 writes them in JSON. */
export interface Said {
  /** Of the message. */
  id: string;
  /** The texts of it, for who looks for an agent. */
  text: string;
  parts: object[];
}

/** What a run of AG-UI asks for. */
export interface RunRequest {
  threadId: string;
  runId: string;
  /** Of the front end; it is given back with what Concord adds. */
  state: Record<string, unknown>;
  /** Who is to do it, where the front end says so: `forwardedProps.agent`. */
  agent: string | undefined;
  /** Absent where an interrupt is answered. */
  said: Said | undefined;
  /** The answer to what the run before has asked. */
  resume: ResumeEntry | undefined;
}

/** Of ids, which become ids of tasks and messages. */
const longestId = 256;
const isId = (value: string) => value !== '' && value.length <= longestId && !/\p{Cc}|[\u2028\u2029]/u.test(value);

/**
 * Reads a RunAgentInput of AG-UI.
 * @throws ConcordError -32602
 */
export function runRequest(body: unknown): RunRequest {
  const parsed = RunAgentInputSchema.safeParse(body);
  if (!parsed.success) throw invalidParams(parsed.error.issues);
  const { threadId, runId, messages, state, forwardedProps, resume = [] } = parsed.data as RunAgentInput;
  requireId(['threadId'], threadId);
  requireId(['runId'], runId);
  if (resume.length > 1) throw invalidParams([{ path: ['resume'], message: 'answers more than one interrupt' }]);
  const [answer] = resume;
  if (answer) requireId(['resume', 0, 'interruptId'], answer.interruptId);
  return {
    threadId,
    runId,
    state: isObject(state) ? state : {},
    agent: agentIn(forwardedProps),
    said: answer ? undefined : lastSaid(messages),
    resume: answer,
  };
}

function requireId(path: PropertyKey[], value: string): void {
  const message = `is empty, longer than ${longestId} characters, or has control characters`;
  if (!isId(value)) throw invalidParams([{ path, message }]);
}

function agentIn(forwarded: unknown): string | undefined {
  const agent = isObject(forwarded) ? forwarded.agent : undefined;
  if (agent === undefined || agent === null) return undefined;
  const path = ['forwardedProps', 'agent'];
  if (typeof agent !== 'string') throw invalidParams([{ path, message: 'is not the id of an agent' }]);
  requireId(path, agent);
  return agent;
}

function lastSaid(messages: RunAgentInput['messages']): Said {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const message = messages[at];
  if (message?.role !== 'user') throw invalidParams([{ path: ['messages'], message: 'have none of the role user' }]);
  requireId(['messages', at, 'id'], message.id);
  const parts = typeof message.content === 'string' ? [{ text: message.content }] : message.content.flatMap(partOf);
  const text = parts.flatMap((part) => ('text' in part && part.text !== '' ? [part.text] : [])).join('\n');
  const kept = parts.filter((part) => !('text' in part) || part.text !== '');
  if (kept.length === 0) throw invalidParams([{ path: ['messages', at, 'content'], message: 'says nothing' }]);
  return { id: message.id, text, parts: kept };
}

/** A handle of some provider's file says nothing to an agent: it is left out, as AG-UI 1.0 has it. */
function partOf(part: ContentPart): { text: string }[] | object[] {
  if (part.type === 'text') return [{ text: part.text }];
  const { source } = part;
  if (source.type === 'data') return [{ raw: source.value, mediaType: source.mimeType }];
  if (source.type === 'url') return [{ url: source.value, ...(source.mimeType && { mediaType: source.mimeType }) }];
  return [];
}
