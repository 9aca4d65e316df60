import { createRequire } from 'node:module';
import { z } from 'zod';

/** Where the statements come from. The time is the release's own, so that a later load states exactly the same. */
export const source = {
  source: 'world-countries',
  version: '5.1.0',
  timestamp: '2025-06-03T12:09:39Z',
} as const;

/** An object by code; where the data has none, it has an empty list or an empty object. */
const byCode = <Value extends z.ZodType>(value: Value) =>
  z.union([z.record(z.string(), value), z.tuple([]).transform((): Record<string, z.output<Value>> => ({}))]);

const known = z.string().transform((text) => text.trim() || undefined);
const knownOnes = z.array(z.string()).transform((texts) => [...new Set(texts.filter((text) => text.trim()))]);

/** A country of npm's `world-countries`, as far as the demo speaks of it. What the data doesn't know is absent or empty. */
const country = z.object({
  /** ISO 3166-1 alpha-3 and alpha-2. */
  cca3: z.string().length(3),
  cca2: z.string().length(2),
  name: z.object({
    common: z.string().min(1),
    official: z.string().min(1),
    native: byCode(z.object({ common: z.string().min(1) })),
  }),
  altSpellings: knownOnes,
  demonyms: byCode(z.object({ m: known })),
  region: known,
  subregion: known,
  /** Square kilometres; -1 stands for unknown. */
  area: z.number().transform((area) => (area > 0 ? area : undefined)),
  landlocked: z.boolean(),
  /** Null where it is disputed. */
  independent: z.boolean().nullable(),
  /** Degrees, north and east. */
  latlng: z.tuple([z.number(), z.number()]),
  capital: knownOnes,
  languages: byCode(z.string().min(1)),
  currencies: byCode(z.object({ name: z.string().min(1), symbol: known })),
  /** Alpha-3 codes of the neighbours by land. */
  borders: z.array(z.string().length(3)),
});

export type Country = z.output<typeof country>;

/** All countries that the package knows. */
export function readCountries(): Country[] {
  // The package's types say that it has a default export, which its CommonJS form has not.
  const data: unknown = createRequire(import.meta.url)('world-countries');
  return z.array(country).parse(data);
}
