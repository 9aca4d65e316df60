import type { RulePatch } from '../../alignment/alignment.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { isLiteral } from '../../graph/statements/statement.ts';
import type { CurrentStatement } from '../../graph/statements/statementReader.ts';
import { literalValue } from '../../graph/statements/values.ts';
import type { IdentifiedPatch, PatchOutcome } from './applyPatches.ts';

/**
 * What an update comes to, in the form that alignment rules read.
 * @param misclassified patches that the rules are to see also where their statements hold already
 */
export function rulePatches(
  { created, revised, retired }: PatchOutcome,
  misclassified: IdentifiedPatch[],
  dictionary: Dictionary,
): RulePatch[] {
  const patch =
    (op: RulePatch['op']) =>
    ({
      id,
      statement: { subject, predicate, object, graph, certainty },
    }: Pick<CurrentStatement, 'id' | 'statement'>): RulePatch => ({
      op,
      statementId: id,
      subject: subject.id,
      subjectType: subject.type ?? null,
      predicate: predicate.id,
      relationshipType: dictionary.relationshipType(predicate.id),
      ...(isLiteral(object)
        ? { object: null, objectType: null, value: literalValue(object), datatype: object.type }
        : { object: object.id, objectType: object.type ?? null, value: null, datatype: null }),
      graph: graph ?? null,
      certainty: certainty ?? null,
    });
  const stated = new Map([...created, ...revised].map((current) => [current.id, current]));
  const repeated = misclassified
    .filter(({ statementId }) => !stated.has(statementId))
    .map(({ statementId, statement }) => ({ id: statementId, statement }));
  return [...[...stated.values(), ...repeated].map(patch('add')), ...retired.map(patch('remove'))];
}
