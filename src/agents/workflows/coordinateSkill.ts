import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ErrorCode } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { parseParams } from '../../calls/params.ts';
import { requireScope } from '../../calls/scope.ts';
import { isAwayOrBusy } from '../../graph/database/away.ts';
import { optional } from '../../knowledge/patch.ts';
import { keptPrincipal, type RecallKept } from '../../security/keptPrincipal.ts';
import type { Principal } from '../../security/principal.ts';
import type { Skill, SkillCall } from '../../skills/skill.ts';
import type { TaskKey } from '../../tasks/nodes/taskNodes.ts';
import { isEnded } from '../../tasks/nodes/taskState.ts';
import type { ChoosingParts } from '../delegation/choosing.ts';
import { hopsOf } from '../delegation/hops.ts';
import { Coordination, type CoordinationParts } from './coordination.ts';
import type { KeptWorkflow } from './nodes/workflows.ts';
import { patiently } from './patiently.ts';
import { faultsOf } from './plan/check.ts';
import { type Step, steps } from './plan/plan.ts';
import { worldFaults } from './world.ts';

export interface CoordinateParts extends CoordinationParts {
  choosing: ChoosingParts;
  /** What may be done for who has asked, when the request is over. */
  recall: RecallKept;
  /** Milliseconds for a workflow without an earlier deadline. */
  timeoutMs: number;
}

const coordinateParams = z.strictObject({
  steps,
  deadline: optional(z.iso.datetime({ offset: true, error: 'is no point in time by ISO 8601' })),
});

/**
 * `coordinate`: has agents do the steps of a workflow, each by a task of its own, as the caller. All that is known of it
 * stands in the graph, so that any replica goes on with it.
 */
export function coordinateSkill(parts: CoordinateParts): Skill {
  return {
    summary: 'Coordinates the steps of a workflow among registered agents and the skills of Concord',
    example: {
      skill: 'coordinate',
      steps: [
        { id: 'gather', agent: 'concord/query', parameters: { query: '{ entities(limit: 10) { id } }' } },
        {
          id: 'check',
          capability: 'check',
          task: 'check',
          parameters: { entities: { $result: 'gather', pointer: '/data/entities' } },
        },
      ],
    },
    endsItself: true,
    parameters: coordinateParams,
    async run(input, call) {
      requireScope(call, 'agents', ErrorCode.InvalidRequest);
      const { steps: asked, deadline } = parseParams(coordinateParams, input);
      await requireFaultless(parts, asked, call);
      const { now, timeoutMs, workflows } = parts;
      const latest = now() + timeoutMs;
      const kept: KeptWorkflow = {
        steps: asked,
        seed: randomUUID(),
        deadline: deadline === undefined ? latest : Math.min(latest, Date.parse(deadline)),
        maker: keptPrincipal(call.principal),
      };
      await call.kept();
      await workflows.keep(keyOf(call), kept);
      return new Coordination(parts, call, kept, call.principal).run();
    },
    lasting: {
      async goOn(call) {
        requireScope(call, 'agents', ErrorCode.InvalidRequest);
        const { kept, principal } = await patiently(async () => {
          const kept = await parts.workflows.find(keyOf(call));
          if (!kept) throw refuse('workflow-invalid', 'The workflow was not begun; begin another');
          return { kept, principal: await principalOf(kept, call) };
        }, call.signal);
        return new Coordination(parts, call, kept, principal).run(call.message);
      },
      isLasting: async (key) => (await parts.workflows.find(key)) !== undefined,
      takeUp: (call) => takenUp(parts, call),
      cancelled: (key) => cancelSteps(parts, key),
    },
  };

  /** Who answers is who has asked, but for an administrator, who doesn't lend its rights. */
  async function principalOf({ maker }: KeptWorkflow, { principal }: SkillCall): Promise<Principal> {
    return principal.agentId === maker.agentId ? principal : parts.recall(maker);
  }
}

const keyOf = ({ principal: { tenant }, taskId: id }: SkillCall) => ({ tenant, id });

/** Faults that are told: of 1,000 steps each may come after 1,000 that are none. */
const mostFaults = 100;

/** @throws ConcordError `workflow-invalid` with the faults */
async function requireFaultless(parts: CoordinateParts, asked: Step[], call: SkillCall): Promise<void> {
  const hops = hopsOf(call.message.metadata, call.principal.agentId);
  const choosing = { ...parts.choosing, skills: parts.skills };
  const faults = [...faultsOf(asked), ...(await worldFaults(asked, choosing, hops, call))];
  const [first] = faults;
  if (!first) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const named = first.step === undefined ? '' : `${first.step}: `;
  const told = faults.slice(0, mostFaults);
  throw refuse('workflow-invalid', `The workflow cannot be begun. ${named}${first.message}${more}`, { faults: told });
}

/** Goes on with what its maker may do now; one that may do nothing any more has nothing going on. */
async function takenUp(parts: CoordinateParts, call: SkillCall) {
  let kept: KeptWorkflow | undefined;
  let principal: Principal;
  try {
    kept = await parts.workflows.find(keyOf(call));
    if (!kept) return undefined;
    principal = await parts.recall(kept.maker);
  } catch (error) {
    // Its lease ends, and whoever reaches Neo4j takes it up.
    if (isAwayOrBusy(error)) return undefined;
    await cancelSteps(parts, keyOf(call));
    throw error;
  }
  return new Coordination(parts, call, kept, principal).run();
}

async function cancelSteps({ workflows, inner }: CoordinateParts, key: TaskKey): Promise<void> {
  const open = (await workflows.runs(key)).filter(({ state }) => state !== null && !isEnded(state));
  await Promise.allSettled(open.map(({ taskId: id }) => inner.cancel({ tenant: key.tenant, id })));
}
