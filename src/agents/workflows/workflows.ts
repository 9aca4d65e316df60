import type { UnaryMethod } from '../../calls/call.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../graph/database/database.ts';
import type { RecallKept } from '../../security/keptPrincipal.ts';
import type { Skill, Skills } from '../../skills/skill.ts';
import type { InnerTasks } from '../../tasks/running/innerTasks.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { FoundAgent } from '../../wire/agents.ts';
import type { AgentStore } from '../nodes/agentStore.ts';
import { coordinateSkill } from './coordinateSkill.ts';
import { Workflows } from './nodes/workflows.ts';

export interface WorkflowsParts {
  database: Database;
  store: AgentStore;
  /** `agents/find` */
  find: UnaryMethod<{ agents: FoundAgent[] }>;
  inner: InnerTasks;
  /** Concord's own. */
  skills: Skills;
  recall: RecallKept;
  config: Pick<
    Config,
    'WORKFLOW_TIMEOUT_MS' | 'WORKFLOW_STEPS_AT_ONCE' | 'WORKFLOW_MAX_RESULT_BYTES' | 'TASK_MAX_ARTIFACT_BYTES'
  >;
  logger: Logger;
}

/** What all steps of a workflow are asked with and make, as often as what one needs: each alone may be within its bound. */
const wholeFactor = 32;

/** The skill `coordinate`. */
export function openWorkflows(parts: WorkflowsParts): Skill {
  const { database, store, find, inner, skills, recall, config, logger } = parts;
  return coordinateSkill({
    ...{ inner, skills, recall, logger, choosing: { store, find } },
    workflows: new Workflows(database),
    timeoutMs: config.WORKFLOW_TIMEOUT_MS,
    atOnce: config.WORKFLOW_STEPS_AT_ONCE,
    longestResults: config.WORKFLOW_MAX_RESULT_BYTES,
    longestWhole: wholeFactor * config.WORKFLOW_MAX_RESULT_BYTES,
    maxArtifactBytes: config.TASK_MAX_ARTIFACT_BYTES,
    now: Date.now,
  });
}
