import { type Message, Part, Role } from '@a2a-js/sdk';
import { isObject } from '../../base/isObject.ts';
import type { Skill, Skills } from '../../skills/skill.ts';
import { delegationMember } from '../delegation/protocols/remoteAgent.ts';
import type { StepInput } from './plan/entering.ts';
import { ownPrefix, type Step } from './plan/plan.ts';

/** What the message of a step's task is made of. */
export interface StepMessageParts {
  step: Step;
  input: StepInput;
  skills: Skills;
  contextId: string;
  messageId: string;
  /** The same for all attempts at one thing. */
  requestId: string;
  /** Who asks; absent for the local principal. */
  agentId: string | undefined;
  /** Of the message that asks for the workflow: who has handed it on. */
  metadata: Record<string, unknown> | undefined;
  /** Until when, in milliseconds since 1970. */
  deadline: number;
}

/** The message by which a step is begun, as an agent would send it to Concord. */
export function stepMessage(parts: StepMessageParts): Message {
  const { contextId, messageId, metadata } = parts;
  const said = metadata?.[delegationMember];
  return {
    messageId,
    contextId,
    taskId: '',
    role: Role.ROLE_USER,
    parts: partsOf(parts),
    metadata: said === undefined ? undefined : { [delegationMember]: said },
    extensions: [],
    referenceTaskIds: [],
  };
}

function partsOf({ step, input, skills, requestId, agentId, deadline }: StepMessageParts): Part[] {
  const { agent, capability, task, retry } = step;
  const { parameters, message } = input;
  const own = ownSkillOf(step);
  if (own === undefined) {
    const data = { ...{ to: agent, capability, task, parameters, message, retry }, deadline: isoOf(deadline) };
    return [dataPart({ ...withoutUndefined(data), skill: 'delegate' })];
  }
  const skill = skills.get(own);
  const asked = { ...spoken(skill, message), ...(isObject(parameters) && parameters) };
  return [dataPart({ ...(skill?.signed?.(asked, { requestId, agentId }) ?? asked), skill: own })];
}

/** The skill of Concord's own that a step asks for. */
export function ownSkillOf({ agent }: Pick<Step, 'agent'>): string | undefined {
  return agent?.startsWith(ownPrefix) ? agent.slice(ownPrefix.length) : undefined;
}

/** What a text stands for in the input of a skill. */
function spoken(skill: Skill | undefined, message: unknown): Record<string, unknown> {
  return typeof message === 'string' && skill?.textField !== undefined ? { [skill.textField]: message } : {};
}

const dataPart = (data: object): Part => Part.fromJSON({ data });
const isoOf = (time: number) => new Date(time).toISOString();

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}
