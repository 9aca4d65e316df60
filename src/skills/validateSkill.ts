import type { UnaryMethod } from '../calls/call.ts';
import type { DryRunResult } from '../knowledge/update/propose.ts';
import { exampleStatement } from './exampleStatement.ts';
import { signedUpdate } from './signedUpdate.ts';
import type { Skill } from './skill.ts';

/**
 * `validate`: the params of `knowledge/update` in a data part, the verdict that it would have as an artifact. Nothing
 * is applied.
 */
export function validateSkill(validate: UnaryMethod<DryRunResult>): Skill {
  return {
    summary:
      'Tells what would become of a proposal, and applies nothing; the fields are the params of knowledge/update',
    readsOnly: true,
    example: {
      skill: 'validate',
      mutations: [{ op: 'add', statement: exampleStatement }],
    },
    ...(validate.params && { parameters: validate.params }),
    textField: 'justification',
    signed: signedUpdate,
    async run(input, call) {
      const verdict = await validate({ ...input, taskId: call.taskId }, call);
      const { verificationStatus, verificationDetails } = verdict;
      const said = `Nothing was applied. The verdict would be: ${verificationStatus}`;
      return {
        state: 'completed',
        artifacts: [{ name: 'verdict', description: 'What would become of the proposal', data: verdict }],
        text: verificationDetails ? `${said}\n${verificationDetails}` : said,
      };
    },
  };
}
