/** A DateTime of the vocabulary: ISO 8601 with an offset or Z. */
const isoDateTime = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/** Whether the calendar has this day, `2026-02-28`: Date.parse takes 30 February for a day of March. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** Whether it is a time of a day that the calendar has, with its offset. */
export function isDateTime(text: string): boolean {
  return isoDateTime.test(text) && isDay(text.slice(0, 10));
}
