import type { ClassDefinition, LiteralField } from '../../../vocabulary/vocabulary.ts';
import { valueFault } from '../../../wire/fieldValues.ts';
import { idOfKey } from '../../../wire/keys.ts';
import { longestId } from '../../patch.ts';

/** Told what is wrong, and where in the entity. */
export type TellFault = (path: PropertyKey[], message: string) => undefined;

/** An entity that is known by its key. */
export interface Keyed {
  id: string;
  /** In the order of the vocabulary. */
  key: ReadonlyMap<string, string | number>;
}

/** The entity of a class that these values are the key of; undefined where something is wrong, which is told. */
export function keyed(
  { name: className, iri, key: names, fields }: ClassDefinition,
  values: Record<string, unknown>,
  path: PropertyKey[],
  tell: TellFault,
): Keyed | undefined {
  if (names === undefined) return tell(path, `The class ${className} has no key in the vocabulary; give an id`);
  const foreign = Object.keys(values).find((each) => !names.includes(each));
  if (foreign !== undefined) return tell([...path, foreign], `is not of the key of ${className}`);
  const key = new Map<string, string | number>();
  for (const name of names) {
    const field = fields.find((each) => each.name === name) as LiteralField;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const why = value === undefined ? `is missing in the key of ${className}` : keyFault(field, value);
    if (why !== undefined) tell([...path, name], why);
    else key.set(name, value as string | number);
  }
  if (key.size < names.length) return undefined;
  const id = idOfKey(iri, [...key]);
  return id.length > longestId
    ? tell(path, `makes an id of more than ${longestId} characters; give an id instead`)
    : { id, key };
}

function keyFault({ scalar, indexed }: LiteralField, value: unknown): string | undefined {
  const fault = valueFault(scalar, indexed, value);
  if (fault !== undefined || typeof value !== 'string') return fault;
  if (value === '') return 'is empty';
  if (!value.isWellFormed()) return 'holds half of a surrogate pair';
  // Before it is encoded, for it may have millions.
  return value.length > longestId ? `is longer than ${longestId} characters` : undefined;
}
