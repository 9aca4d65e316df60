import type { Plan, ProfiledPlan } from 'neo4j-driver';

/** The operators of a plan, from its result down. */
export function operatorsOf(plan: Plan | ProfiledPlan): string[] {
  return [plan.operatorType.replace('@neo4j', ''), ...plan.children.flatMap(operatorsOf)];
}
