import type { ClassDefinition } from '../../vocabulary/vocabulary.ts';

/** What things are called in the vocabularies that are in use. */
const names = ['name', 'label', 'title', 'prefLabel', 'heading'];

/** The field that says what entities of a class are called: its name, or else a text that is a key of it. */
export function labelOf({ fields, key = [] }: ClassDefinition): string | undefined {
  const texts = fields.flatMap((field) => (field.kind === 'literal' && field.scalar === 'String' ? [field] : []));
  const called = names.flatMap((name) => texts.filter((field) => field.name === name));
  return (called[0] ?? texts.find(({ name, functional }) => key.includes(name) || functional))?.name;
}
