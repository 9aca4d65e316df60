import type { Scalar } from './vocabulary.ts';

/** A literal's value, as a statement holds it. */
type Value = string | number | boolean;

/**
 * The same value as a field of a scalar takes it, if nothing is lost: from what comes out, what went in can be told.
 * @returns undefined where something would be lost or made up, or where the field takes the value as it is
 */
export function converted(value: Value, scalar: Scalar): Value | undefined {
  switch (scalar) {
    case 'String':
    case 'ID':
      return typeof value === 'string' ? undefined : String(value);
    case 'Int':
    case 'Float': {
      if (typeof value !== 'string' || String(Number(value)) !== value) return undefined;
      const number = Number(value);
      const fits = scalar === 'Int' ? number === (number | 0) && !Object.is(number, -0) : Number.isFinite(number);
      return fits ? number : undefined;
    }
    case 'Boolean':
      return value === 'true' || value === 'false' ? value === 'true' : undefined;
    default:
      return undefined;
  }
}
