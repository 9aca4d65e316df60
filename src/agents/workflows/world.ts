import { ConcordError } from '../../base/errors.ts';
import type { Call } from '../../calls/call.ts';
import type { Scope } from '../../security/principal.ts';
import type { Skills } from '../../skills/skill.ts';
import { type ChoosingParts, chosenAgent } from '../delegation/choosing.ts';
import type { Fault } from './plan/check.ts';
import type { Step } from './plan/plan.ts';
import { ownSkillOf } from './stepMessage.ts';

/** Concord's own skills that may be a step, which all come to an end, and the scope that each needs. */
const ownSkills = new Map<string, Scope>([
  ['query', 'knowledge:query'],
  ['explain', 'knowledge:query'],
  ['explore', 'knowledge:query'],
  ['ask', 'knowledge:query'],
  ['propose', 'knowledge:update'],
  ['validate', 'knowledge:update'],
]);

/** Agents that are looked for at a time. */
const together = 8;

type Asked = Pick<Step, 'agent' | 'capability' | 'task' | 'message'>;

/**
 * What keeps steps from being done by whom they name: nobody has that name or capability, or the caller may not ask
 * them.
 * @param hops the agents that have handed on the workflow
 */
export async function worldFaults(
  steps: readonly Step[],
  { skills, ...choosing }: ChoosingParts & { skills: Skills },
  hops: readonly string[],
  call: Call,
): Promise<Fault[]> {
  const keyOf = ({ agent, capability, task }: Asked) => JSON.stringify([agent, capability, task]);
  const asked = new Map<string, Asked>(steps.map((step) => [keyOf(step), step]));
  const found = new Map<string, Pick<Fault, 'fault' | 'message'> | undefined>();
  const look = async (key: string, { agent: to, capability, task }: Asked) => {
    try {
      await chosenAgent(choosing, { to, capability, task }, hops, call);
    } catch (error) {
      found.set(key, faultIn(error));
    }
  };
  const others = [...asked].filter(([, step]) => ownSkillOf(step) === undefined);
  if (call.principal.scopes.has('agents')) {
    for (let from = 0; from < others.length; from += together) {
      await Promise.all(others.slice(from, from + together).map(([key, step]) => look(key, step)));
    }
  }
  return steps.flatMap((step): Fault[] => {
    const fault =
      ownSkillOf(step) === undefined ? otherFault(call, found.get(keyOf(step))) : ownFault(step, skills, call);
    return fault ? [{ step: step.id, ...fault }] : [];
  });
}

type Said = Pick<Fault, 'fault' | 'message'>;

function ownFault(step: Step, skills: Skills, { principal }: Call): Said | undefined {
  const own = ownSkillOf(step) ?? '';
  const scope = ownSkills.get(own);
  if (scope === undefined || !skills.has(own)) {
    const known = [...ownSkills.keys()].filter((each) => skills.has(each)).join(', ');
    return { fault: 'unknown-skill', message: `Concord has no skill ${own} for a step; it has ${known}` };
  }
  if (!principal.scopes.has(scope)) return { fault: 'missing-scope', message: `The caller lacks the scope ${scope}` };
  return undefined;
}

function otherFault({ principal }: Call, found: Said | undefined): Said | undefined {
  if (principal.scopes.has('agents')) return found;
  return { fault: 'missing-scope', message: 'The caller lacks the scope agents' };
}

function faultIn(error: unknown): Said {
  const { reason } = error instanceof ConcordError ? error.data : {};
  const isTold = reason === 'unknown-agent' || reason === 'capability-mismatch' || reason === 'delegation-loop';
  if (!(error instanceof ConcordError) || !isTold) throw error;
  return { fault: reason, message: error.message };
}
