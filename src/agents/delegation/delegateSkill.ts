import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { withDeadline } from '../../base/withDeadline.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { beginOf } from '../../skills/assignment.ts';
import type { Skill, SkillCall } from '../../skills/skill.ts';
import { chosenAgent } from './choosing.ts';
import { hopsOf } from './hops.ts';
import { Journey } from './journey.ts';
import { type JourneyParts, reach } from './journeyParts.ts';
import { delegateParams } from './request.ts';

/**
 * `delegate`: hands a task on to another agent that is registered, in that agent's own protocol. What the agent says and
 * makes is said and made by the task here.
 */
export function delegateSkill(parts: JourneyParts): Skill {
  return {
    summary: 'Hands a task on to a registered agent, and reports what becomes of it',
    example: { skill: 'delegate', capability: 'translate', message: 'Guten Morgen', deadline: '2030-01-01T00:00:00Z' },
    endsItself: true,
    parameters: delegateParams,
    textField: 'message',
    async run(input, call) {
      requireScope(call, 'agents', ErrorCode.InvalidRequest);
      const request = parseParams(delegateParams, input);
      if (request.then === 'propose') requireScope(call, 'knowledge:update', ErrorCode.InvalidRequest);
      const hops = hopsOf(call.message.metadata, call.principal.agentId);
      const agent = await chosenAgent(parts, request, hops, call);
      return new Journey(parts, call, { request, hops }).begin(agent);
    },
    lasting: {
      async goOn(call) {
        requireScope(call, 'agents', ErrorCode.InvalidRequest);
        const delegation = await parts.delegations.find(keyOf(call));
        if (!delegation) throw refuse('delegation-unknown', 'The task was sent to no agent; begin another');
        if (delegation.state === 'proposing') {
          requireScope(call, 'knowledge:update', ErrorCode.InvalidRequest);
          return journeyOf(call).propose(delegation);
        }
        if (delegation.state !== 'resting') {
          call.tell('The agent works on it; what was said meanwhile is not passed on', {});
          return undefined;
        }
        return journeyOf(call).answer(delegation);
      },
      isLasting: async (key) => (await parts.delegations.find(key)) !== undefined,
      async takeUp(call) {
        const delegation = await parts.delegations.find(keyOf(call));
        return delegation && journeyOf(call).takeUp(delegation);
      },
      cancelled: (key) => cancelledAt(parts, key),
    },
  };

  /** Of a task that was begun before: what it was begun with was looked at then. */
  function journeyOf(call: SkillCall): Journey {
    const { input } = (call.task && beginOf(call.task)) ?? { input: {} };
    const request = parseParams(delegateParams, input);
    const [first] = call.task?.history ?? [];
    return new Journey(parts, call, { request, hops: hopsOf(first?.metadata, call.principal.agentId) });
  }
}

const keyOf = ({ principal: { tenant }, taskId: id }: SkillCall) => ({ tenant, id });

/** Cancels the agent's task of one that waited here. */
async function cancelledAt(parts: JourneyParts, key: { tenant: string; id: string }): Promise<void> {
  const delegation = await parts.delegations.find(key);
  if (delegation?.remoteTaskId === undefined) return;
  const remote = await reach(parts, { ...key, owner: '' }, delegation.agentId);
  const { remoteTaskId } = delegation;
  const nobody = new AbortController().signal;
  await withDeadline(parts.answerMs, nobody, async (signal) => remote.cancel?.(remoteTaskId, signal));
}
