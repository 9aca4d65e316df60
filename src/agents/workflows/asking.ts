import { randomUUID } from 'node:crypto';
import type { Principal } from '../../security/principal.ts';
import type { SkillCall, Skills } from '../../skills/skill.ts';
import type { InnerMessage } from '../../tasks/running/innerTasks.ts';
import type { KeptWorkflow } from './nodes/workflows.ts';
import type { RunKey } from './plan/course.ts';
import { inputOf, itemsOf } from './plan/entering.ts';
import type { Step } from './plan/plan.ts';
import { resultsNeeded } from './plan/references.ts';
import type { StepResults } from './results.ts';
import { runId } from './runs.ts';
import { ownSkillOf, stepMessage } from './stepMessage.ts';

export interface AskingParts {
  call: SkillCall;
  kept: KeptWorkflow;
  /** Whom the steps are done as. */
  principal: Principal;
  skills: Skills;
  results: Pick<StepResults, 'of'>;
  /** Milliseconds since 1970. */
  now: number;
}

const longestTimeout = 2_147_483_647;

/** What the task of a step is begun with. @throws ConcordError of its results */
export async function askedBy(step: Step, item: number, parts: AskingParts): Promise<InnerMessage> {
  const { call, kept, principal, skills, now } = parts;
  const results = await parts.results.of(resultsNeeded(step));
  const deadline = Math.min(kept.deadline, now + (step.timeout ?? longestTimeout));
  const first: RunKey = { step: step.id, item, attempt: 1 };
  const message = stepMessage({
    ...{ step, skills, contextId: call.contextId, deadline },
    input: inputOf(step, results, itemsOf(step, results)?.[item]),
    messageId: randomUUID(),
    requestId: runId(kept.seed, first),
    agentId: principal.agentId,
    metadata: (call.task?.history[0] ?? call.message).metadata,
  });
  const isOwn = ownSkillOf(step) !== undefined;
  return { principal, message, ...(isOwn && { timeoutMs: Math.max(1, deadline - now) }) };
}
