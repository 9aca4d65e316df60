/** The scalars that a field of a vocabulary may have. */
export const fieldScalars = ['String', 'ID', 'Int', 'Float', 'Boolean', 'DateTime', 'Date'] as const;

export type FieldScalar = (typeof fieldScalars)[number];

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

/** A DateTime of the vocabulary: ISO 8601 with an offset or Z. */
const isoDateTime = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/** Whether the calendar has this day, `2026-02-28`: Date.parse takes 30 February for a day of March. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** Whether it is a time of a day that the calendar has, with its offset. */
function isDateTime(text: string): boolean {
  return isoDateTime.test(text) && isDay(text.slice(0, 10));
}
