import type { UnaryMethod } from '../calls/call.ts';
import type { UpdateResult } from '../knowledge/update/propose.ts';
import { exampleStatement } from './exampleStatement.ts';
import { signedUpdate } from './signedUpdate.ts';
import type { Skill, SkillOutcome } from './skill.ts';

const states: Record<string, SkillOutcome['state']> = {
  Verified: 'completed',
  'Pending Review': 'input-required',
  'Rejected - Constraint Violation': 'rejected',
};

/**
 * `propose`: the params of `knowledge/update` in a data part, the verdict as an artifact. The update is of the task.
 */
export function proposeSkill(update: UnaryMethod<UpdateResult>): Skill {
  return {
    summary: 'Proposes changes to the shared graph; the fields are the params of knowledge/update',
    example: {
      skill: 'propose',
      mutations: [{ op: 'add', statement: exampleStatement }],
      justification: 'Read in the atlas of 2025',
    },
    ...(update.params && { parameters: update.params }),
    textField: 'justification',
    signed: signedUpdate,
    async run(input, call) {
      return outcomeOf(await update({ ...input, taskId: call.taskId }, call));
    },
  };
}

/** What the task of a proposal comes to by its verdict. */
export function outcomeOf(verdict: UpdateResult): SkillOutcome {
  return {
    state: states[verdict.verificationStatus] ?? 'failed',
    artifacts: [{ name: 'verdict', description: 'What became of the proposal', data: verdict }],
    text: textOf(verdict),
  };
}

function textOf({ verificationStatus, verificationDetails, updateId }: UpdateResult): string {
  const held = `Held for review as ${updateId}: somebody with the scope knowledge:review decides by knowledge/review, which ends the task. Until then another message to it may propose something else.`;
  const said = verificationStatus === 'Pending Review' ? held : verificationStatus;
  return verificationDetails ? `${said}\n${verificationDetails}` : said;
}
