import { isLiteral } from '../../../src/graph/statements/statement.ts';
import { Tally } from '../../support/tally.ts';
import type { Model, Policies, Utterance } from './model.ts';

/** What the scenarios must have brought about, or the comparison with the model says nothing of it. */
const claimed = [
  'update applied',
  'update that changes nothing',
  'revision conflict',
  'copy answered as the first',
  'logged add',
  'logged replace',
  'logged remove',
  'literal of another language',
  'link',
  'link to itself',
  'named graph',
  'no certainty',
  'certainty 0',
  'certainty between',
  'certainty 1',
  'provenance',
  'several voices, LATEST',
  'several voices, MAX',
  'several voices, NOISY_OR',
  'ended by the same agent',
  'ended by another agent',
  'said again after its end',
] as const;

export type Occurrences = Tally<(typeof claimed)[number]>;

export const occurrences = (): Occurrences => new Tally(claimed);

/** Counts what a scenario has left behind. */
export function countLeft(seen: Occurrences, model: Model, policies: Policies): void {
  for (const { op } of model.log) seen.add(`logged ${op}`);
  const before = new Set<string>();
  for (const utterance of model.utterances) {
    countStatement(seen, utterance, policies);
    const { provenance: _, certainty: __, ...what } = utterance.statement;
    const key = JSON.stringify(what);
    if (utterance.endedBy === undefined && before.has(key)) seen.add('said again after its end');
    before.add(key);
  }
}

function countStatement(seen: Occurrences, { statement, voices, endedBy }: Utterance, policies: Policies): void {
  const { subject, predicate, object, graph, certainty, provenance } = statement;
  if (!isLiteral(object)) seen.add(object.id === subject.id ? 'link to itself' : 'link');
  else if (object.language !== undefined) seen.add('literal of another language');
  if (graph !== undefined) seen.add('named graph');
  if (provenance !== undefined) seen.add('provenance');
  if (certainty === undefined) seen.add('no certainty');
  else if (certainty === 0 || certainty === 1) seen.add(`certainty ${certainty}`);
  else seen.add('certainty between');
  if (voices.length > 1) seen.add(`several voices, ${policies[predicate.id] ?? 'LATEST'}`);
  if (endedBy !== undefined)
    seen.add(
      voices.some(({ agent }) => agent === endedBy.agent) ? 'ended by the same agent' : 'ended by another agent',
    );
}
