/**
 * The time of an ISO 8601 text, in milliseconds since 1970. One without an offset is taken as UTC, wherever the service
 * runs.
 */
export function utcTime(text: string): number {
  return Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`);
}
