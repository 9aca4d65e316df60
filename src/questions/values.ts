import { distance } from '../graph/search/likeness.ts';
import { editsFor, folded } from '../graph/search/words.ts';
import { functionWords } from './functionWords.ts';
import type { Token } from './words.ts';

/** A text of an entity, as the caller sees it. */
export interface SeenText {
  id: string;
  /** Names: a class, and a field of it. */
  class: string;
  field: string;
  value: string;
  /** What the entity is called. */
  label: string;
  /** What the field says of its entity, 0 to 1: from 0.9 on it is one of its names or codes. */
  weight: number;
}

/** What words of a question stand for. */
export type Value =
  /** One entity by a name of its own. */
  | { kind: 'entity'; class: string; id: string; label: string }
  /** What entities may have in a field. */
  | { kind: 'text'; class: string; field: string; value: string };

/** A value where it stands in a question. */
export interface ValueMatch {
  value: Value;
  from: number;
  /** Tokens. */
  length: number;
  /** 0 where it is written so, more the less sure. */
  cost: number;
}

/** From which weight on a text is a name of its entity. */
const identifying = 0.9;
const costs = { otherName: 0.1, misspelt: 0.5, part: 3, partBesideOther: 0.2 };
/** Words of a question that may be one value. */
export const longestValue = 8;

/** The values that a question may speak of. Nothing but what is seen has an influence. */
export function valuesIn(tokens: readonly Token[], seen: readonly SeenText[]): ValueMatch[] {
  const found = seen.flatMap((text) => matchesOf(tokens, text));
  const best = new Map<string, ValueMatch>();
  for (const match of found) {
    const key = JSON.stringify([match.from, match.length, match.value]);
    const other = best.get(key);
    if (!other || match.cost < other.cost) best.set(key, match);
  }
  return withoutWorse([...best.values()]).map((match, _, all) => besideOther(match, all));
}

/** `Congo` is another name of one country and a part of two: then it may be either. */
function besideOther(match: ValueMatch, all: ValueMatch[]): ValueMatch {
  const isBeside = all.some(
    ({ from, length, cost, value }) =>
      from === match.from && length === match.length && cost === costs.otherName && value.class === match.value.class,
  );
  return match.cost === costs.part && isBeside ? { ...match, cost: costs.partBesideOther } : match;
}

const isMisspelt = ({ cost }: ValueMatch) => cost >= costs.misspelt && cost < costs.part;

/** Where the same words stand for something by writing, what they are only like is left out. */
function withoutWorse(matches: ValueMatch[]): ValueMatch[] {
  const overlaps = (one: ValueMatch, other: ValueMatch) =>
    one.from < other.from + other.length && other.from < one.from + one.length;
  return matches.filter(
    (match) =>
      !matches.some(
        (other) =>
          overlaps(match, other) &&
          ((match.cost >= costs.part &&
            (other.cost === 0 || (other.cost < costs.misspelt && other.length > match.length))) ||
            (isMisspelt(match) && other.cost < costs.misspelt && other.length >= match.length)),
      ),
  );
}

function matchesOf(tokens: readonly Token[], { id, class: of, field, value, label, weight }: SeenText): ValueMatch[] {
  const words: string[] = folded(value).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length === 0 || words.length > longestValue) return [];
  const names = weight >= identifying;
  const meant: Value = names ? { kind: 'entity', class: of, id, label } : { kind: 'text', class: of, field, value };
  const base = names && weight < 1 ? costs.otherName : 0;
  const matches = tokens.flatMap((token, from): ValueMatch[] => {
    if (token.quoted) return token.word === folded(value) ? [{ value: meant, from, length: 1, cost: base }] : [];
    const cost = costAt(tokens, from, words, value);
    return cost === undefined ? [] : [{ value: meant, from, length: words.length, cost: base + cost }];
  });
  if (matches.length > 0 || words.length < 2 || weight < 1) return matches;
  // One word of several, as `dollar`: many have it, so it is only ever asked about.
  return tokens.flatMap((token, from) =>
    token.word.length > 3 && !functionWords.has(token.word) && words.includes(token.word)
      ? [{ value: meant, from, length: 1, cost: base + costs.part }]
      : [],
  );
}

/** How sure it is that a value stands there, 0 the most; undefined where it doesn't. */
function costAt(tokens: readonly Token[], from: number, words: string[], value: string): number | undefined {
  let edits = 0;
  for (const [index, word] of words.entries()) {
    const token = tokens[from + index];
    if (!token || token.quoted) return undefined;
    if (token.word === word) continue;
    const isPlural = token.word === `${word}s`;
    // Another first letter makes another word.
    const isOther = functionWords.has(token.word) || word.length < 4 || token.word[0] !== word[0];
    const most = isOther ? 0 : editsFor(token.word);
    const found = isPlural ? 0 : distance(token.word, word, most);
    if (found === undefined) return undefined;
    edits += found;
  }
  const [first] = words;
  if (words.length === 1 && first !== undefined) {
    const written = tokens[from]?.text ?? '';
    // `us`, `it` and `are` are codes too; as codes they are written in capitals.
    if ((first.length < 3 || functionWords.has(first)) && written !== value) return undefined;
  }
  return edits > 2 ? undefined : edits * costs.misspelt;
}
