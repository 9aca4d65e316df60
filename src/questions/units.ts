import type { LiteralField } from '../vocabulary/vocabulary.ts';

/** A unit in which a number is given. */
export interface Unit {
  /** As it is shown: `km²`. */
  symbol: string;
  /** Ways to write it: words in lower case. */
  names: string[];
  /** What it measures. */
  of: string;
  /** How many of the first unit of its kind. */
  factor: number;
}

const units: Unit[] = [
  unit(
    'km²',
    'area',
    1,
    'square kilometers',
    'square kilometer',
    'square kilometres',
    'square kilometre',
    'sq km',
    'km2',
  ),
  unit('m²', 'area', 1e-6, 'square meters', 'square meter', 'square metres', 'square metre', 'm2'),
  unit('ha', 'area', 0.01, 'hectares', 'hectare'),
  unit('mi²', 'area', 2.589988110336, 'square miles', 'square mile', 'sq mi'),
  unit('m', 'length', 1, 'meters', 'meter', 'metres', 'metre'),
  unit('km', 'length', 1000, 'kilometers', 'kilometer', 'kilometres', 'kilometre'),
  unit('mi', 'length', 1609.344, 'miles', 'mile'),
  unit('ft', 'length', 0.3048, 'feet', 'foot'),
  unit('kg', 'mass', 1, 'kilograms', 'kilogram'),
  unit('g', 'mass', 0.001, 'grams', 'gram'),
  unit('t', 'mass', 1000, 'tonnes', 'tonne'),
  unit('K', 'temperature', 1, 'kelvin'),
  unit('°', 'angle', 1, 'degrees', 'degree'),
  unit('s', 'time', 1, 'seconds', 'second'),
  unit('%', 'share', 1, 'per cent', 'percent', '%'),
];

function unit(symbol: string, of: string, factor: number, ...names: string[]): Unit {
  return { symbol, of, factor, names: [...names, folded(symbol)] };
}

/** The unit of a field's numbers, where its description begins with one: `"Square kilometres."`. */
export function unitOf({ scalar, description }: Pick<LiteralField, 'scalar' | 'description'>): Unit | undefined {
  if ((scalar !== 'Int' && scalar !== 'Float') || description === undefined) return undefined;
  const [first = ''] = folded(description).split(/[.,;:]/);
  return units.find(({ names }) => names.includes(first.trim()));
}

/** The unit that some words name, with how many words. */
export function unitAt(words: readonly string[]): { unit: Unit; length: number } | undefined {
  for (const length of [2, 1]) {
    const said = folded(words.slice(0, length).join(' '));
    const found = words.length >= length && units.find(({ names }) => names.includes(said));
    if (found) return { unit: found, length };
  }
  return undefined;
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll('²', '2');
}
