import { refuse } from '../../base/reasons.ts';
import type { Dictionary } from '../../graph/names/dictionary.ts';
import { entitiesOf } from '../../graph/statements/statement.ts';
import type { Proposal } from './plan.ts';

export interface NamingParts {
  dictionary: Dictionary;
  closedVocabulary: boolean;
  /** Predicates of the vocabulary. */
  predicates: ReadonlySet<string>;
}

/** New relationship types cost a schema command each; an open vocabulary grows in steps. */
const maxNewPredicates = 100;

/** Sees to it that every predicate and class of the proposal has a name in the database. */
export async function nameThings(
  { dictionary, closedVocabulary, predicates }: NamingParts,
  { patches }: Proposal,
): Promise<void> {
  const named = patches.map(({ statement }) => statement.predicate.id);
  const unknown = dictionary.unknownPredicates(named);
  const foreign = closedVocabulary ? named.find((iri) => !predicates.has(iri)) : undefined;
  if (foreign !== undefined) {
    throw refuse(
      'unknown-predicate',
      `The vocabulary is closed and has no predicate ${foreign}; GET /schema.graphql shows it`,
    );
  }
  if (unknown.length > maxNewPredicates) {
    throw refuse(
      'too-many-new-predicates',
      `The update brings ${unknown.length} predicates that Concord hasn't seen; at most ${maxNewPredicates} are taken at once`,
      { limit: maxNewPredicates },
    );
  }
  const stated = patches.filter(({ op }) => op !== 'remove').map(({ statement }) => statement);
  await dictionary.ensure(
    named,
    stated.flatMap((statement) => entitiesOf(statement).flatMap(({ type }) => type ?? [])),
  );
}
