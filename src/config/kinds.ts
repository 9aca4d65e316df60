import { z } from 'zod';
import { parseOrigins } from './allowedOrigins.ts';
import { parseAllowed } from './allowedReceivers.ts';

/* Kinds of settings: what stands in an environment variable, and what is made of it. */

/** A port; 0 lets the system choose. */
export const port = z.coerce.number().int().min(0).max(65535);
export const count = (otherwise: number) => z.coerce.number().int().positive().default(otherwise);
/** What a timer takes: a longer one would end at once. */
export const longestMs = 2_147_483_647;
/** Milliseconds of a timer. */
export const time = (otherwise: number) => z.coerce.number().int().positive().max(longestMs).default(otherwise);
export const price = z.coerce.number().min(0).optional();
export const atMost = z.coerce.number().int().positive().optional();

export const text = z.string();
export const optional = (says: string) => text.optional().describe(says);
export const flag = z.stringbool();

/** A text that a parser makes something of, which says by an Error what is wrong with it. */
export const parsed = <T>(parse: (text: string) => T) =>
  text.transform((given, context) => {
    try {
      return parse(given);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** The same of what may be left out. */
const parsedBy = <T>(parse: (text: string) => T) => text.default('').pipe(parsed(parse));

/** `agent=trust` pairs, comma-separated, trust within 0..1. */
export const trust = parsedBy((given) => {
  const pairs = new Map<string, number>();
  for (const pair of given.split(',').filter(Boolean)) {
    const at = pair.lastIndexOf('=');
    const value = Number(pair.slice(at + 1));
    if (at < 1 || !(value >= 0 && value <= 1)) throw new Error(`'${pair}' is not agent=trust with trust from 0 to 1`);
    pairs.set(pair.slice(0, at).trim(), value);
  }
  return pairs;
});

/** Secrets, one a line. */
export const keys = text
  .transform((given) => given.split(/\r?\n/).filter(Boolean))
  .refine((each) => each.length > 0, 'holds no key')
  .refine((each) => each.every(({ length }) => length >= 32), 'has fewer than 32 characters');

/** Origins of web pages, comma-separated. */
export const origins = parsedBy(parseOrigins);

/** Hosts, addresses and blocks of addresses, comma-separated. */
export const receivers = parsedBy(parseAllowed);
