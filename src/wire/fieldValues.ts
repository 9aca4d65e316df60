import { isDateTime, isDay } from './dates.ts';

/** The scalars that a field of a vocabulary may have. */
export type FieldScalar = 'String' | 'ID' | 'Int' | 'Float' | 'Boolean' | 'DateTime' | 'Date';

/** Characters that a value of an indexed field may have. */
const longestIndexed = 2_000;

/** Why a value doesn't fit a literal field; undefined where it does. The rule `literal-type` draws the same lines. */
export function valueFault(scalar: FieldScalar, indexed: boolean, value: unknown): string | undefined {
  if (!fits(scalar, value)) return `is not ${descriptions[scalar]}`;
  if (indexed && typeof value === 'string' && value.length > longestIndexed)
    return `is longer than the ${longestIndexed} characters of an indexed field`;
  return undefined;
}

const descriptions: Record<FieldScalar, string> = {
  String: 'text',
  ID: 'text',
  Int: 'a whole number from -2147483648 to 2147483647',
  Float: 'a number',
  Boolean: 'true or false',
  DateTime: 'a time such as 2026-02-28T12:00:00Z, with its offset',
  Date: 'a day such as 2026-02-28',
};

/** Whether a literal field of this scalar takes the value. */
export function fits(scalar: FieldScalar, value: unknown): boolean {
  switch (scalar) {
    case 'String':
    case 'ID':
      return typeof value === 'string';
    case 'Int':
      return typeof value === 'number' && value === (value | 0);
    case 'Float':
      return typeof value === 'number' && Number.isFinite(value);
    case 'Boolean':
      return typeof value === 'boolean';
    case 'DateTime':
      return typeof value === 'string' && isDateTime(value);
    case 'Date':
      return typeof value === 'string' && isDay(value);
  }
}
