import { z } from 'zod';
import { cardFault, longestCard } from './cardLimits.ts';

/*
 * What the cards of all protocols are made of. What isn't named in a shape may stand in a card all the same. An absent
 * member may also be written as null.
 */

/** A text of one line. */
export const line = (longest: number) =>
  z
    .string()
    .max(longest, `is longer than ${longest} characters`)
    .refine((text) => !/[\r\n]/.test(text), 'has a line break');

export const prose = z.string().max(10_000, 'is longer than 10000 characters');

export const absent = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullish().transform((value) => value ?? undefined);

export const listOf = <Shape extends z.ZodType>(shape: Shape, most: number) =>
  z
    .array(shape)
    .max(most, `has more than ${most}`)
    .nullish()
    .transform((list) => list ?? []);

/** What is given beside a card, within the limits of one: no controls, and so deep, many and long at most. */
export const limited = <Shape extends z.ZodType>(shape: Shape) =>
  z
    .any()
    .superRefine((value, context) => {
      const isTooLong = () => Buffer.byteLength(JSON.stringify(value) ?? '') > longestCard;
      const fault = cardFault(value) ?? (isTooLong() ? `is longer than ${longestCard} bytes` : undefined);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    })
    .pipe(shape);

/** An address that is never followed for what it is: it is checked again by who calls it. */
export const address = line(2_048).refine(
  (text) => URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol),
  'is no address of http, https, ws or wss',
);

export const tag = line(100).min(1, 'is empty');
export const skillName = line(200).min(1, 'is empty');
export const mostSkills = 200;
export const mostEndpoints = 30;

export const provider = z.looseObject({ organization: absent(line(200)), url: absent(line(2_048)) });
export const extensions = listOf(z.looseObject({ uri: line(2_048) }), 50);

/** The names of what an object says yes to. */
export function saidYes(capabilities: Record<string, unknown> | undefined): string[] {
  return Object.entries(capabilities ?? {})
    .filter(([name, value]) => value === true && name.length <= 100)
    .map(([name]) => name)
    .slice(0, 50)
    .sort();
}

/** The tags of skills, in lower case, each once. */
export function tagsOf(skills: readonly { tags: readonly string[] }[], more: readonly string[] = []): string[] {
  return [...new Set([...more, ...skills.flatMap(({ tags }) => tags)].map((each) => each.toLowerCase()))];
}
