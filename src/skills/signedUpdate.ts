import { isObject } from '../base/isObject.ts';
import type { Skill } from './skill.ts';

/** Names who proposes, for a caller that may speak for any agent, and keeps what is sent again from being applied twice. */
export const signedUpdate: NonNullable<Skill['signed']> = (input, { requestId, agentId }) => {
  const { metadata = {}, sourceAgentId = agentId } = input;
  return {
    ...input,
    ...(sourceAgentId !== undefined && { sourceAgentId }),
    ...(requestId !== undefined && isObject(metadata) && { metadata: { idempotencyKey: requestId, ...metadata } }),
  };
};
