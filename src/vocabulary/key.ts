import type { ClassDefinition, Scalar } from './vocabulary.ts';

/** Those whose values are each written in one way only. */
const keyScalars: readonly Scalar[] = ['String', 'ID', 'Int', 'Date'];

/** What is wrong with the key of a class. */
export function keyFaults({ name, fields }: ClassDefinition, key: string[]): string[] {
  if (key.length === 0) return [`The key of "${name}" is empty: name its fields or leave it out.`];
  return key.flatMap((each, index) => {
    if (key.indexOf(each) !== index) return `The key of "${name}" names "${each}" twice.`;
    const field = fields.find((one) => one.name === each);
    if (field === undefined) return `The key of "${name}" names "${each}", which is no field of it.`;
    if (field.kind === 'literal' && !field.list && keyScalars.includes(field.scalar)) return [];
    return `The key of "${name}" names "${each}", which is not a single ${keyScalars.join(', ')}.`;
  });
}
