import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const folder = 'src/agents/workflows';
const tests = (...names: string[]) => names.map((name) => `test/agents/workflows/${name}.test.ts`);

/** Workflows. */
export const coordinating: Mutant[] = [
  ...careless('workflows', `${folder}/coordination.ts`, tests('coordinateSkill'), [
    ['as many steps are under way as there are', 'return due.slice(0, Math.max(0, room));', 'return due;'],
    ['steps of what is too late go on', '    await this.cancelSteps();\n    const told', '    const told'],
    ['a step is begun that another replica has begun', 'for (const each of claimed) {', 'for (const each of keys) {'],
  ]),
  ...careless('workflows', `${folder}/coordination.ts`, tests('coordinateSkill'), [
    ['a replica that closes keeps its workflows', 'await parts.workflows.leave(key)', 'await Promise.resolve()'],
    ['a step is lost whose replica died before it began', '      else course.gone(run);\n', ''],
    ['an answer is dropped while the database is away', '      if (isAwayOrBusy(error)) this.unsaid = message;\n', ''],
    ['what the steps made does not count', '    this.whole.heard(row);\n', ''],
    ['a workflow may be as long as it likes as a whole', '    this.whole.requireRoom(runs);\n', ''],
  ]),
  ...careless('workflows', `${folder}/asking.ts`, tests('coordinateSkill'), [
    [
      'a step has longer than its workflow',
      'Math.min(kept.deadline, now + (step.timeout ?? longestTimeout));',
      'now + (step.timeout ?? longestTimeout);',
    ],
  ]),
  ...careless('workflows', `${folder}/coordinateSkill.ts`, tests('coordinateSkill'), [
    [
      'who answers lends its rights',
      'return principal.agentId === maker.agentId ? principal : parts.recall(maker);',
      'return principal.agentId === undefined ? parts.recall(maker) : principal;',
    ],
    [
      'a workflow has longer than the operator allows',
      'deadline === undefined ? latest : Math.min(latest, Date.parse(deadline)),',
      'deadline === undefined ? latest : Date.parse(deadline),',
    ],
    [
      'who may not call agents has them called by a workflow',
      "run(input, call) {\n      requireScope(call, 'agents', ErrorCode.InvalidRequest);\n",
      'run(input, call) {\n',
    ],
  ]),
  ...careless('workflows', `${folder}/coordinateSkill.ts`, tests('coordinateSkill'), [
    [
      'steps go on of who may do nothing any more',
      '    await cancelSteps(parts, keyOf(call));\n    throw error;',
      '    throw error;',
    ],
  ]),
  ...careless('workflows', `${folder}/plan/course.ts`, tests('plan/course'), [
    [
      'what brings replicas down is begun for ever',
      'return lost > mostLost ? undefined : state.at;',
      'return state.at;',
    ],
  ]),
  ...careless('workflows', `${folder}/plan/check.ts`, tests('coordinateSkill'), [
    ['a list counts as one task', 'sum + (forEach?.max ?? 1), 0)', 'sum + (forEach === undefined ? 1 : 1), 0)'],
  ]),
  ...careless('workflows', `${folder}/results.ts`, tests('coordinateSkill'), [
    [
      'several results may be as long as they like together',
      '      if (length > this.parts.longest) throw resultsTooLong(this.parts.longest);\n',
      '',
    ],
  ]),
];
