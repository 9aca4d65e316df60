import type { Message } from '@a2a-js/sdk';
import { envelopeMember } from '../envelopes/envelope.ts';
import type { Delegation } from './nodes/delegations.ts';
import { delegationMember, type Outgoing } from './protocols/remoteAgent.ts';
import { answerParts, type DelegateRequest, partsOf } from './request.ts';

/** What a delegation was asked for with. */
export interface Asked {
  request: DelegateRequest;
  /** The agents that have handed it on, who began comes first. */
  hops: readonly string[];
}

/**
 * A message on its way to an agent.
 * @param given the message of the task that it passes on
 * @param to what the agent has already; absent of the first message
 */
export function outgoing(
  messageId: string,
  { request, hops }: Asked,
  agentId: string,
  { parts: given, metadata }: Message,
  to?: Delegation,
): Outgoing {
  const { task: skill, deadline, priority } = request;
  const isFirst = to?.remoteTaskId === undefined;
  const { [delegationMember]: _, [envelopeMember]: _envelope, skill: _skill, ...rest } = metadata ?? {};
  const said = {
    hops: [...hops, agentId],
    ...(deadline !== undefined && { deadline }),
    ...(priority !== undefined && { priority }),
  };
  return {
    messageId,
    conversation: to?.conversation ?? messageId,
    ...(to?.remoteTaskId !== undefined && { taskId: to.remoteTaskId }),
    parts: isFirst ? partsOf(request) : answerParts(given),
    ...(isFirst && skill !== undefined && { skill }),
    metadata: { ...rest, [delegationMember]: said },
  };
}
