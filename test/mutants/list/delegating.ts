import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const folder = 'src/agents/delegation';
const tests = (...names: string[]) => names.map((name) => `test/agents/delegation/${name}.test.ts`);

/** What is handed on to other agents, and what they answer. */
export const delegating: Mutant[] = [
  ...careless('delegation', `${folder}/proposing.ts`, tests('proposing'), [
    [
      'who registers others speaks for them',
      'return found && (found.addedBy === id || agentId === undefined) ? found.keys : undefined;',
      'return found?.keys;',
    ],
  ]),
  ...careless('delegation', `${folder}/proposing.ts`, tests('verdicts'), [
    ['of several parts the first alone is proposed', 'const key = `${taskId} ${index}`;', 'const key = taskId;'],
    [
      'two tasks whose ids end alike are one',
      "key.length <= longestKey ? key : createHash('sha256').update(key).digest('hex');",
      'key.slice(-longestKey);',
    ],
    ['what waits for a review is forgotten', "  if (state === 'input-required') wait();\n", ''],
    ['the best of several verdicts counts', 'badness.findLast((each) => outcomes', 'badness.find((each) => outcomes'],
  ]),
  ...careless('delegation', `${folder}/answeredPatches.ts`, tests('proposing'), [
    [
      'an answer may be any number of updates',
      '  if (stated.length > most) throw brokenAnswer(`it has more than ${most} parts with patches`);\n',
      '',
    ],
    [
      'a signature of another key counts as none',
      "  throw brokenAnswer('what it states is signed by none of the keys that the agent is registered with');\n",
      '  return false;\n',
    ],
  ]),
  ...careless('delegation', `${folder}/choosing.ts`, tests('choosing'), [
    [
      'who has handed a task on gets it again',
      'const free = able.filter(({ id }) => !hops.includes(id));',
      'const free = able;',
    ],
    [
      'an agent that is down is as good as one that is up',
      "const found = free.find(({ status }) => status !== 'down') ?? free[0];",
      'const found = free[0];',
    ],
  ]),
  ...careless('delegation', `${folder}/journey.ts`, tests('journey'), [
    [
      'a caller has longer than the operator allows',
      'Math.min(Date.parse(deadline) - parts.now(), parts.timeoutMs);',
      'Date.parse(deadline) - parts.now();',
    ],
    [
      'what no attempt mends is tried again',
      'if (!isWorthRepeating(error) || this.attempt > max)',
      'if (this.attempt > max)',
    ],
    [
      'a message that was not answered yet is not cancelled',
      'this.remoteTaskId ?? (sent && (await remote.find?.(sent, signal))?.taskId);',
      'this.remoteTaskId;',
    ],
    ['a replica that closes keeps its delegations', '        await parts.delegations.leave(this.key);\n', ''],
  ]),
  ...careless('delegation', `${folder}/following.ts`, tests('following'), [
    [
      'an agent may say as much as it likes',
      '    if (this.reports > most.reports) throw brokenAnswer(`it says more than ${most.reports} things of one task`);\n',
      '',
    ],
    [
      'an agent says as much as it likes of how far it is',
      '      if (this.toldBytes > limit) throw brokenAnswer(`it says more than ${limit} bytes of how far it is`);\n',
      '',
    ],
    ['an agent that came back is still away', '        awaySince = undefined;\n', ''],
    [
      'what is of another task counts',
      "      if (this.taskId !== undefined) throw brokenAnswer('it is of another task than the one that was asked for');\n",
      '',
    ],
    [
      'a task may have any number of artifacts',
      '    if (this.artifacts.size > most.artifacts) throw brokenAnswer(`the task has more than ${most.artifacts} artifacts`);\n',
      '',
    ],
  ]),
  ...careless('delegation', `${folder}/nodes/delegations.ts`, tests('delegation', 'faults'), [
    [
      'a task is handed on to the same id of other tenants',
      `MATCH (a:Agent {tenant: $tenant, id: $agentId}) USING INDEX SEEK a:Agent(tenant, id)
       MERGE (t)`,
      `MATCH (a:Agent {id: $agentId})
       MERGE (t)`,
    ],
  ]),
  ...careless('delegation', `${folder}/protocols/agentFetch.ts`, tests('protocols/agentFetch'), [
    [
      'an answer may be as long as it likes',
      '    if (bytes > longest) throw brokenAnswer(`it is longer than ${longest} bytes`);\n',
      '',
    ],
    ['who refuses the credentials is quoted', ' && isJson && status !== 401 && status !== 403)', ' && isJson)'],
    ['a certificate counts as shown where there is no TLS', "if (url.protocol === 'https:') return", 'return'],
  ]),
  ...careless('delegation', `${folder}/protocols/reports.ts`, tests('protocols/reports'), [
    ['the data of a status may be as long as it likes', '    if (length > left) return false;\n', ''],
    ['each data part of a status has as much room as all', '    left -= length;\n', ''],
    [
      'what an agent says is obeyed by terminals',
      'withoutControls(text.slice(0, longestSaid).toWellFormed());',
      'text.slice(0, longestSaid).toWellFormed();',
    ],
  ]),
  ...careless('delegation', `${folder}/protocols/wholeEvents.ts`, tests('protocols/wholeEvents'), [
    [
      'an event may be as long as it likes',
      '    if (text.length > longest) throw brokenAnswer(`an event is longer than ${longest} bytes`);\n',
      '',
    ],
  ]),
];
