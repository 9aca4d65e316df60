import type { Message } from '@a2a-js/sdk';
import type { ConcordClient } from '../client/client.ts';

/** What a skill is asked, and what it may use. */
export interface SkillRequest {
  /** The texts of the message, a line each. */
  text: string;
  /** The first data part of the message, without its `skill`. A stranger has written it: check it. */
  data: Record<string, unknown>;
  /** The message as it came. */
  message: Message;
  /** What was said in the task before it: more than nothing where the skill has asked a question. */
  history: Message[];
  taskId: string;
  contextId: string;
  /** Aborts when the task is cancelled, takes too long, or the agent closes. */
  signal: AbortSignal;
  /** The agent's own connection to Concord; absent of an agent without one. */
  concord?: ConcordClient;
  /** Says to those who follow the task how far it is. */
  tell(text: string): void;
}

/** What an agent can do. */
export interface AgentSkill {
  /** What is sent as `skill` in a data part, or in the message's metadata. */
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples?: string[];
  /**
   * @returns a text, or an object as data, either as the task's artifact; or `question(…)`
   * @throws SkillError whose message is told; of anything else only that it happened
   */
  run(request: SkillRequest): SkillAnswer | Promise<SkillAnswer>;
}

export type SkillAnswer = string | object | Question;

/** The task waits for another message. */
export class Question {
  constructor(readonly text: string) {}
}

/** What a skill answers with where it needs to know more; it is run again with the answer. */
export const question = (text: string): Question => new Question(text);

/** Fails a task with a message that its caller is told. */
export class SkillError extends Error {
  override readonly name = 'SkillError';
}
