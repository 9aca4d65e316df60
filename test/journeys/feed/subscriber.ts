import type { Tally } from '../../support/tally.ts';
import type { Log } from './log.ts';

/** The ways to the changes. */
export const kinds = [
  'SSE',
  'WebSocket',
  'GraphQL over SSE',
  'class field over WebSocket',
  'class field over SSE',
  'webhook',
  'live query',
  'live query in patches',
] as const;

export type Kind = (typeof kinds)[number];

/** What a run must have brought about, or it shows nothing. */
export type Claimed =
  | Kind
  | 'replica killed'
  | 'Neo4j killed'
  | 'connection cut'
  | 'stream begun again'
  | 'edit by hand'
  | 'edit by hand without an answer';

/** Somebody who follows the graph until it is closed. */
export interface Subscriber {
  readonly kind: Kind;
  /** What it asks, for whoever reads of a fault. */
  readonly asks: string;
  /** Whether it knows all that there is; undefined where that is so, else what is missing or too much. */
  fault(log: Log): Promise<string | undefined>;
  close(): Promise<void>;
}

/** What all subscribers of a run have in common. */
export interface Following {
  /** Where Concord is, behind what cuts connections. */
  url: string;
  /** Who follows, where one must say so. */
  headers?: Record<string, string>;
  seen: Pick<Tally<Claimed>, 'add'>;
  /** Aborts when the run is over. */
  signal: AbortSignal;
  /** The last change before the run. */
  begin: number;
}

/** How what was told differs from what was to be told; undefined where it doesn't. */
export function difference(expected: readonly string[], told: readonly string[]): string | undefined {
  const index = expected.findIndex((line, place) => told[place] !== line);
  if (index < 0 && told.length === expected.length) return undefined;
  const place = index < 0 ? expected.length : index;
  const doubles = told.length - new Set(told).size;
  const missing = expected.filter((line) => !told.includes(line)).length;
  return (
    `${told.length} told of ${expected.length}, ${missing} missing, ${doubles} doubles; ` +
    `at ${place} ${told[place]} in the place of ${expected[place]}`
  );
}
