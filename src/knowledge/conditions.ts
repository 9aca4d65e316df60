import { z } from 'zod';
import type { Closed } from '../graph/names/closed.ts';
import type { Conditions } from '../graph/qualify/qualifier.ts';
import type { ReadWishes } from '../graph/reading/readTransaction.ts';
import type { Principal } from '../security/principal.ts';
import { notBoth, optional } from './patch.ts';

/** The point in time of `metadata.asOf`: ISO 8601 with an offset. */
export const asOf = z.iso.datetime({ offset: true, error: 'is not an ISO 8601 time with an offset or Z' });

/** What a caller may ask of the statements that its query reads. Knowledge graph extension 1.0, section 4.1. */
export const conditionParams = {
  /** 0 to 1; a statement without certainty counts as 1. */
  requiredCertainty: optional(z.number().min(0, 'is below 0').max(1, 'is above 1')),
  /** By `observedAt`. */
  maxAgeSeconds: optional(z.int().min(0, 'is below 0')),
  metadata: optional(
    z
      .looseObject({
        asOf: optional(asOf),
        /**
         * Reads what the updates up to this revision had made of the graph: a snapshot, however long it takes to read
         * it in parts.
         */
        asOfRevision: optional(z.int().min(0, 'is below 0')),
        /** A revision that an update has answered with: what is read is that or newer. */
        afterRevision: optional(z.int().min(0, 'is below 0')),
        /** Whether to tell how many statements the answer rests on, and the lowest certainty among them. */
        consulted: optional(z.boolean()),
      })
      .refine(({ asOf, asOfRevision }) => asOf === undefined || asOfRevision === undefined, {
        path: ['asOfRevision'],
        error: 'is given beside asOf; give one of them',
      })
      .meta(notBoth('asOf', 'asOfRevision')),
  ),
};

const shape = z.object(conditionParams);

/** What a caller wishes of its read beyond its conditions. */
export function wishesOf({ metadata }: z.output<typeof shape>): ReadWishes {
  return {
    ...(metadata?.afterRevision !== undefined && { afterRevision: metadata.afterRevision }),
    ...(metadata?.consulted && { consults: true }),
  };
}

/** What is closed to a principal now; undefined where nothing is. */
export type ClosedTo = (principal: Principal) => Closed | undefined;

/**
 * The conditions of one read: what the caller asks, within what it may see.
 * @param closed what is closed to the principal
 * @param now milliseconds since 1970
 */
export function conditionsOf(
  { tenant, graphs }: Principal,
  { requiredCertainty, maxAgeSeconds, metadata }: z.output<typeof shape>,
  closed: Closed | undefined,
  now: number,
): Conditions {
  return {
    tenant,
    ...(graphs !== undefined && { graphs }),
    ...(closed && { closed }),
    ...(requiredCertainty !== undefined && { requiredCertainty }),
    ...(maxAgeSeconds !== undefined && { observedSince: new Date(now - maxAgeSeconds * 1_000) }),
    ...(metadata?.asOf !== undefined && { asOf: new Date(metadata.asOf) }),
    ...(metadata?.asOfRevision !== undefined && { asOfRevision: metadata.asOfRevision }),
  };
}
