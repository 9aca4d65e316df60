import { literalFieldsOf, type Vocabulary } from '../vocabulary/vocabulary.ts';

/** What a class's name says beside what the entity itself is called, and so on: 1 for the name. */
const weights = { name: 1, label: 0.9, other: 0.6 };

/** What things are called in the vocabularies that are in use. */
const names = new Set(['name', 'label', 'title', 'preflabel', 'heading']);
const labels = /(?:name|label|title|identifier|code|key)$/i;

/**
 * What the fields of text say of who has them, by the IRI of the predicate: the name most; then other names, codes and
 * keys; then any other text.
 */
export function textWeights(vocabulary: Vocabulary): Map<string, number> {
  const keys = new Set(vocabulary.classes.flatMap(({ key = [] }) => key));
  const weightOf = (name: string, isKey: boolean) => {
    if (names.has(name.toLowerCase())) return weights.name;
    return isKey || labels.test(name) ? weights.label : weights.other;
  };
  return new Map(
    [...literalFieldsOf(vocabulary)].flatMap(([iri, { name, scalar, functional, indexed }]) =>
      scalar === 'String' ? [[iri, weightOf(name, keys.has(name) || functional || indexed)] as const] : [],
    ),
  );
}
