import { randomUUID } from 'node:crypto';
import { type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import type { z } from 'zod';
import { refuse } from '../../base/reasons.ts';
import { invalidParams, parseParams } from '../../calls/params.ts';
import type { Skill } from '../../skills/skill.ts';
import type { Agent } from './agents.ts';
import { runParams } from './messages.ts';

export interface RunRequest {
  request: SendMessageRequest;
  /** Absent where a text is left to the core. */
  skill: Skill | undefined;
  /** Of the skill. */
  input: Record<string, unknown>;
}

/**
 * The params of `run` as a message of A2A: a data part that asks for the skill, or the text alone.
 * @param caller the id of who calls; absent for a principal that may speak for any agent and says for none
 * @throws ConcordError -32602, or -32600 `foreign-caller`
 */
export function runRequest(agent: Agent, params: unknown, caller: string | undefined): RunRequest {
  const { task, context } = parseParams(runParams, params);
  const { request_id: requestId, caller_id: callerId, skill: name, task_id, context_id, ...input } = context ?? none;
  if (callerId !== undefined && caller !== undefined && callerId !== caller) throw foreignCaller('caller_id');
  const asked = skillOf(agent, name);
  const sender = { requestId, agentId: caller ?? callerId };
  const taken = asked ? inputOf(asked.skill, task, input, sender) : {};
  const message = {
    messageId: requestId ?? randomUUID(),
    contextId: context_id ?? '',
    taskId: task_id ?? '',
    role: Role.ROLE_USER,
    parts: [asked ? dataPart({ ...taken, skill: asked.name }) : textPart(task)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  const request = { tenant: '', message, configuration: undefined, metadata: undefined };
  return { request, skill: asked?.skill, input: taken };
}

const none = {} as NonNullable<z.output<typeof runParams>['context']>;

/** @param member that names somebody else than the caller */
export function foreignCaller(member: string) {
  return refuse('foreign-caller', `${member} names another agent than the caller`);
}

function skillOf({ skills }: Agent, name: string | undefined): { name: string; skill: Skill } | undefined {
  const [only] = skills.size === 1 ? skills.keys() : [];
  const asked = name ?? only;
  if (asked === undefined) return undefined;
  const skill = skills.get(asked);
  if (skill) return { name: asked, skill };
  const message = `is none of this agent's: ${[...skills.keys()].join(', ')}`;
  throw invalidParams([{ path: ['context', 'skill'], message }]);
}

/** What the context has for the skill; the text stands for a field that it leaves out. */
function inputOf(
  { textField, signed }: Skill,
  task: string,
  given: Record<string, unknown>,
  sender: Parameters<NonNullable<Skill['signed']>>[1],
): Record<string, unknown> {
  const input = textField === undefined || given[textField] != null ? given : { ...given, [textField]: task };
  return signed ? signed(input, sender) : input;
}

const textPart = (value: string): Part => ({ ...plain, mediaType: 'text/plain', content: { $case: 'text', value } });
const dataPart = (value: object): Part => ({
  ...plain,
  mediaType: 'application/json',
  content: { $case: 'data', value },
});
const plain = { metadata: undefined, filename: '' };
