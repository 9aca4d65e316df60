import type { z } from 'zod';
import type { coordination } from '../../agents/envelopes/contents.ts';
import { ownPrefix } from '../../agents/workflows/plan/plan.ts';
import { invalidParams } from '../../calls/params.ts';
import { isOwnId, wholeAgent } from '../agentos/agents.ts';

type Coordination = z.output<typeof coordination>;
type Given = Coordination['workflow']['steps'][number];

/**
 * The steps of a `coordination` as the skill `coordinate` takes them. There they have ids, and depend on those; in ONE
 * they depend on agents, so on all steps of these that come before.
 * @throws ConcordError `invalid-params`
 */
export function workflowOf({ participants, workflow }: Coordination): Record<string, unknown>[] {
  const { steps } = workflow;
  const ids = idsOf(steps);
  return steps.map((step, at) => {
    const { agent, depends = [], task, ...rest } = step;
    const path = ['message', 'content', 'workflow', 'steps', at];
    if (participants && !participants.includes(agent)) {
      throw invalidParams([{ path: [...path, 'agent'], message: 'is none of the participants' }]);
    }
    const needed = depends.flatMap((name) => {
      const found = steps.flatMap((each, index) =>
        index !== at && (each.id === name || (each.agent === name && index < at)) ? [ids[index]] : [],
      );
      // What it is to depend on, whoever checks the workflow says by its name.
      return found.length > 0 ? found : [name];
    });
    return { ...rest, id: ids[at], ...doer(agent, task), ...(needed.length > 0 && { depends: [...new Set(needed)] }) };
  });
}

/** Of a step without an id, that of its agent, with a number from its second step on. */
function idsOf(steps: readonly Given[]): string[] {
  const taken = new Set(steps.flatMap(({ id }) => id ?? []));
  return steps.map(({ id, agent }) => {
    if (id !== undefined) return id;
    const name = agent.slice(0, longestName);
    let free = name;
    for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
    taken.add(free);
    return free;
  });
}

const longestName = 190;

/** Concord's own agents are known to workflows by their skills. */
function doer(agent: string, task: string | undefined): Record<string, unknown> {
  if (agent === wholeAgent && task !== undefined) return { agent: `${ownPrefix}${task}` };
  if (agent !== wholeAgent && isOwnId(agent)) return { agent: `${ownPrefix}${agent}` };
  return { agent, ...(task !== undefined && { task }) };
}
