import type { Violation } from '../../alignment/alignment.ts';
import type { Rule } from '../../alignment/rule.ts';
import type { ClosedIris } from '../../graph/names/closed.ts';
import { idsOf } from '../../graph/statements/statement.ts';
import type { Patch } from '../patch.ts';

/**
 * Violations as a proposer may be told of them. A rule's own words can quote what the graph holds: the other value of a
 * functional predicate, the class of an entity. Where that may be closed, only the rule's general message is told, and
 * what the proposer has said itself.
 */
export function redactViolations(
  violations: Violation[],
  rules: readonly Rule[],
  patches: Patch[],
  closed: ClosedIris | undefined,
): Violation[] {
  if (closed === undefined) return violations;
  const statements = patches.map(({ statement }) => statement);
  const said = new Set([...idsOf(statements), ...statements.map(({ predicate }) => predicate.id)]);
  const iris = [...closed.predicates.keys(), ...closed.classes.keys()];
  return violations.map((violation) => {
    const { rule, severity, subject, predicate, message } = violation;
    const told = Object.values(violation).join(' ');
    // An entity that is quoted may be of a closed class.
    if (closed.classes.size === 0 && !iris.some((iri) => told.includes(iri))) return violation;
    return {
      rule,
      severity,
      ...(subject !== undefined && said.has(subject) && { subject }),
      ...(predicate !== undefined && said.has(predicate) && { predicate }),
      message: rules.find(({ name }) => name === rule)?.message ?? message,
    };
  });
}
