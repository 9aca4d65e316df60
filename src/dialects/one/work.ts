import type { z } from 'zod';
import { coordination, query, taskDelegation } from '../../agents/envelopes/contents.ts';
import { refuse } from '../../base/reasons.ts';
import { invalidParams } from '../../calls/params.ts';
import type { Config } from '../../config/config.ts';
import type { Skill } from '../../skills/skill.ts';
import { type Agent, wholeAgent } from '../agentos/agents.ts';
import type { Admitted } from './admission.ts';
import { workflowOf } from './steps.ts';

/** What a message asks for, as a task of Concord's. */
export interface Work {
  /** The skill with its input, or a text for who takes questions. */
  asked: { skill: string; input: Record<string, unknown> } | { text: string };
  /** Where what comes of it is sent; without it, the message is answered with that. */
  callback?: string;
  /** Milliseconds that it may take. */
  mostMs: number;
}

export type WorkLimits = Pick<Config, 'TASK_TIMEOUT_MS' | 'DELEGATION_TIMEOUT_MS' | 'WORKFLOW_TIMEOUT_MS'>;

export interface WorkParts {
  /** Who is asked: one of Concord's own agents; undefined for one that is registered, to which it is handed on. */
  agent: Agent | undefined;
  limits: WorkLimits;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * What a `task_delegation`, a `coordination` or a `query` asks for.
 * @throws ConcordError `invalid-params`, `capability-mismatch`, `delegation-deadline`
 */
export function workOf(parts: WorkParts, admitted: Admitted): Work {
  const { type, content } = admitted.envelope.message;
  if (type === 'task_delegation') return delegated(parts, admitted, contentOf(taskDelegation, content));
  if (type === 'coordination') return coordinated(parts, admitted, contentOf(coordination, content));
  return questioned(parts, admitted, contentOf(query, content));
}

export function contentOf<Schema extends z.ZodType>(schema: Schema, content: unknown): z.output<Schema> {
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw invalidParams(
    parsed.error.issues.map(({ path, message }) => ({ path: ['message', 'content', ...path], message })),
  );
}

function delegated(parts: WorkParts, admitted: Admitted, content: z.output<typeof taskDelegation>): Work {
  const { task, parameters = {}, callback, deadline } = content;
  const { limits } = parts;
  const beside = { ...(callback !== undefined && { callback }) };
  if (!parts.agent) {
    const mostMs = timeLeft(parts, admitted, deadline, limits.DELEGATION_TIMEOUT_MS);
    return {
      asked: { skill: 'delegate', input: handedOn(parts, admitted, { task, parameters }, mostMs) },
      mostMs,
      ...beside,
    };
  }
  const { name, skill, input } = ownSkill(parts.agent, admitted, task, parameters);
  const mostMs = timeLeft(parts, admitted, deadline, longestOf(name, limits));
  const takesDeadline = (name === 'delegate' || name === 'coordinate') && input.deadline == null;
  const timed = takesDeadline && deadline !== undefined ? { deadline: isoOf(parts.now + mostMs) } : {};
  return { asked: { skill: name, input: signed(skill, { ...input, ...timed }, admitted) }, mostMs, ...beside };
}

function coordinated(parts: WorkParts, admitted: Admitted, content: z.output<typeof coordination>): Work {
  const { callback, deadline } = content;
  const skill = parts.agent?.skills.get('coordinate');
  if (!parts.agent || !skill) throw mismatch(admitted.envelope.to.agentId, 'coordinate', parts.agent);
  const mostMs = timeLeft(parts, admitted, deadline, parts.limits.WORKFLOW_TIMEOUT_MS);
  const input = { steps: workflowOf(content), deadline: isoOf(parts.now + mostMs) };
  return { asked: { skill: 'coordinate', input }, mostMs, ...(callback !== undefined && { callback }) };
}

function questioned(parts: WorkParts, admitted: Admitted, content: z.output<typeof query>): Work {
  const { agent, limits } = parts;
  if (!agent) {
    const mostMs = timeLeft(parts, admitted, undefined, limits.DELEGATION_TIMEOUT_MS);
    return { asked: { skill: 'delegate', input: handedOn(parts, admitted, questionTo(content), mostMs) }, mostMs };
  }
  const mostMs = timeLeft(parts, admitted, undefined, limits.TASK_TIMEOUT_MS);
  if ('task' in content && content.task !== undefined) {
    const { name, skill, input } = ownSkill(agent, admitted, content.task, content.parameters ?? {});
    return { asked: { skill: name, input: signed(skill, input, admitted) }, mostMs };
  }
  if (content.question !== undefined) return { asked: { text: content.question }, mostMs };
  const { name, input } = ownSkill(agent, admitted, 'query', inputOf(content));
  return { asked: { skill: name, input }, mostMs };
}

/** What is asked of another agent, by the members of `delegate`. */
function questionTo(content: z.output<typeof query>): Record<string, unknown> {
  if ('task' in content && content.task !== undefined) {
    return { task: content.task, parameters: content.parameters ?? {} };
  }
  return { message: content.question ?? [{ data: inputOf(content) }] };
}

/** What a query says for the skill of this name. */
function inputOf(content: z.output<typeof query>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
}

function handedOn({ now }: WorkParts, { envelope: { to, metadata } }: Admitted, asked: object, mostMs: number) {
  const { priority, retryPolicy } = metadata ?? {};
  return {
    ...asked,
    to: to.agentId,
    deadline: isoOf(now + mostMs),
    ...(priority !== undefined && { priority }),
    ...(retryPolicy && { retry: { max: retryPolicy.maxRetries, backoff: retryPolicy.backoff } }),
  };
}

/** The skill that a task names; where the agent has one alone, the task may also be what is said to it. */
function ownSkill(agent: Agent, { envelope: { to } }: Admitted, task: string, parameters: Record<string, unknown>) {
  const named = agent.skills.get(task);
  if (named) return { name: task, skill: named, input: parameters };
  const [only] = agent.id === wholeAgent ? [] : agent.skills;
  const [name, skill] = only ?? [];
  if (name === undefined || skill?.textField === undefined) throw mismatch(to.agentId, task, agent);
  return { name, skill, input: { [skill.textField]: task, ...parameters } };
}

function signed(skill: Skill, input: Record<string, unknown>, { envelope: { messageId }, sender }: Admitted) {
  return skill.signed?.(input, { requestId: messageId, agentId: sender }) ?? input;
}

function mismatch(id: string, task: string, agent: Agent | undefined) {
  const skills = agent && [...agent.skills.keys()];
  return refuse('capability-mismatch', `The agent ${id} doesn't say that it can: ${task}`, {
    ...(skills && { skills }),
  });
}

function longestOf(name: string, limits: WorkLimits): number {
  if (name === 'delegate') return limits.DELEGATION_TIMEOUT_MS;
  return name === 'coordinate' ? limits.WORKFLOW_TIMEOUT_MS : limits.TASK_TIMEOUT_MS;
}

/** @throws ConcordError `delegation-deadline` where none is left */
function timeLeft({ now }: WorkParts, { envelope }: Admitted, deadline: number | undefined, most: number): number {
  const { timeout = most } = envelope.metadata ?? {};
  const left = Math.min(timeout, most, deadline === undefined ? most : Math.ceil(deadline - now));
  if (left > 0) return left;
  throw refuse('delegation-deadline', `The deadline ${isoOf(deadline ?? now)} is over`);
}

const isoOf = (time: number) => new Date(time).toISOString();
