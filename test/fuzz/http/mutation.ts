import type { Random } from '../../graph/qualify/random.ts';
import { mutatedByCharacters } from '../characters.ts';

type Json = unknown;
type Place = [holder: Record<string, Json> | Json[], key: string | number];

/** Values that a schema's author may not have thought of, as texts of JSON. */
const oddValues = [
  ...['null', 'true', '0', '-1', '1.5', '1e308', '-1e999', '9007199254740993', '2147483648', '""', '[]', '{}', '[[]]'],
  ...[
    '"\\u0000"',
    '"\\ud83d"',
    '"\\ufeff"',
    '"../../x"',
    '"__proto__"',
    '"NaN"',
    '"-1"',
    '"{}"',
    '" "',
    '"\\r\\nx: y"',
  ],
  ...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{}}}', '{"toString":1}', '{"then":"x"}', '[null]'],
  ...['{"id":null}', '"9999-99-99T99:99:99Z"', '"0000-01-01T00:00:00Z"', '"https://agent.invalid/"', '{"length":1e9}'],
];

const oddKeys = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '$ref',
  'id',
  '\u0000',
  'then',
  'length',
];

/** A text of JSON in which a few members or entries are left out, doubled, renamed or something else. */
export function mutatedJson(random: Random, value: Json): string {
  const root: [Json] = [structuredClone(value)];
  const placeholders: string[] = [];
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times--) {
    const places = placesIn(root).filter(([holder]) => times === 1 || holder !== root);
    if (places.length > 0) changeAt(random, random.pick(places), places, placeholders);
  }
  // Some texts of numbers and keys can't be made by printing a value.
  return (JSON.stringify(root[0]) ?? 'null').replace(/"¤(\d+)¤"/g, (_, at) => placeholders[Number(at)] ?? 'null');
}

function changeAt(random: Random, [holder, key]: Place, places: Place[], placeholders: string[]): void {
  const set = (to: Json) => Object.defineProperty(holder, key, { value: to, ...open });
  const verbatim = (text: string) => set(`¤${placeholders.push(text) - 1}¤`);
  const own = (holder as Record<string | number, Json>)[key];
  const [otherHolder, otherKey] = random.pick(places);
  random.pick([
    () => verbatim(random.pick(oddValues)),
    () => verbatim(random.pick(oddValues)),
    () => set(structuredClone((otherHolder as Record<string | number, Json>)[otherKey])),
    () => set([own, own]),
    () => set({ [random.pick(oddKeys)]: own }),
    () => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[String(key)]),
    () =>
      Array.isArray(holder)
        ? holder.push(own)
        : Object.defineProperty(holder, random.pick(oddKeys), { value: own, ...open }),
    () => set(typeof own === 'string' ? mutatedByCharacters(random, own) : JSON.stringify(own)),
    () => set('x'.repeat(random.pick([500, 5_000, 70_000]))),
    () => verbatim(deep(random.pick([90, 110, 3_000]), random.chance(0.5))),
  ])();
}

const open = { enumerable: true, writable: true, configurable: true };

const deep = (levels: number, isList: boolean) =>
  isList ? '['.repeat(levels) + ']'.repeat(levels) : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

function placesIn(holder: Json, into: Place[] = []): Place[] {
  // A mutation may have put a value into two places, so that it grows.
  if (typeof holder !== 'object' || holder === null || into.length > 300) return into;
  for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
    into.push([holder as Json[], key]);
    placesIn((holder as Record<string | number, Json>)[key], into);
  }
  return into;
}

/** Bytes of which some are changed, left out or put in. */
export function mutatedBytes(random: Random, bytes: Buffer): Buffer {
  let changed = bytes;
  for (let times = random.pick([1, 1, 2, 4]); times > 0; times--) {
    const at = random.below(changed.length + 1);
    const to = at + random.below(5);
    const put = Buffer.from(Array.from({ length: random.pick([0, 1, 2, 8]) }, () => random.below(256)));
    changed = Buffer.concat([changed.subarray(0, at), put, changed.subarray(random.chance(0.5) ? at : to)]);
  }
  return random.chance(0.1) ? changed.subarray(0, random.below(changed.length + 1)) : changed;
}
