import type { Message, MessageInput, Part } from './taskTypes.ts';

/** What another agent is to do. */
export interface Delegation {
  /** Which agent, by its id. */
  to?: string;
  /** What the agent must have: the id or name of a skill, or a tag. Without `to` the likest that has it is asked. */
  capability?: string;
  /** What is said to it: a text or parts. */
  message?: string | Part[];
  /** Instead of a message: the skill that is to be run, and with what. */
  task?: string;
  parameters?: Record<string, unknown>;
  /** Until when; ISO 8601. */
  deadline?: string | Date;
  priority?: 'low' | 'medium' | 'high' | 'critical';
  /** Further attempts (0 to 10) where the agent doesn't answer, or fails and may not the next time. */
  retry?: { max: number; backoff?: 'linear' | 'exponential' };
  /**
   * The message that it is done for, where an agent hands on what it was asked: so that what comes back to who has
   * handed it on already is found.
   */
  for?: Pick<Message, 'metadata'>;
}

const member = 'concord.delegation';

/** The message that asks for it. */
export function delegationMessage({ for: cause, deadline, ...delegation }: Delegation): MessageInput {
  const said = cause?.metadata?.[member];
  const data = {
    skill: 'delegate',
    ...delegation,
    ...(deadline !== undefined && { deadline: typeof deadline === 'string' ? deadline : deadline.toISOString() }),
  };
  return { parts: [{ data }], ...(said !== undefined && { metadata: { [member]: said } }) };
}
