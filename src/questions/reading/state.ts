import type { Field } from '../../vocabulary/vocabulary.ts';
import type { Language } from '../language.ts';
import type { Lexicon, TermMatch } from '../lexicon.ts';
import type { ValueMatch } from '../values.ts';
import type { Taken, Token } from '../words.ts';

/** Something that was understood, up to a token. */
export interface Found<Value> {
  value: Value;
  /** The token that comes next. */
  at: number;
  /** 0 where nothing was guessed. */
  cost: number;
  taken: Taken[];
}

/** Steps of one reading, beyond which a question is too involved. */
const mostSteps = 30_000;

/** A question has more ways to be read than are tried. */
export class TooInvolved extends Error {}

/** What a question is read by. */
export class Reading {
  private steps = 0;
  private readonly terms: TermMatch[][];
  /** The furthest token that something was understood up to. */
  furthest = 0;
  readonly known = new Map<string, Found<unknown>[]>();

  constructor(
    readonly tokens: readonly Token[],
    readonly lexicon: Lexicon,
    private readonly values: readonly ValueMatch[],
    readonly language: Language,
    isWord: (token: Token) => boolean,
  ) {
    this.terms = tokens.map((token, at) => {
      const found = lexicon.termsAt(tokens, at);
      if (isWord(token)) return found.filter(({ cost, length }) => cost < 0.6 || length > 1);
      // What is written as a value is not also a misspelt word of the vocabulary.
      const isValue = values.some(({ from, length, cost }) => from <= at && at < from + length && cost < 0.6);
      return isValue ? found.filter(({ cost }) => cost < 0.6) : found;
    });
  }

  step(): void {
    this.steps += 1;
    if (this.steps > mostSteps) throw new TooInvolved();
  }

  /** Reads something once for a token. */
  once<Value>(key: string, read: () => Found<Value>[]): Found<Value>[] {
    const known = this.known.get(key) as Found<Value>[] | undefined;
    if (known) return known;
    this.known.set(key, []);
    const found = fewest(read());
    this.known.set(key, found);
    return found;
  }

  /** Whether words stand there; alternatives of several words each, the longest first. */
  eat(at: number, ...phrases: string[]): Found<string>[] {
    this.step();
    for (const phrase of phrases) {
      const words = phrase.split(' ');
      if (words.every((word, index) => this.isWord(at + index, word)))
        return [this.found(phrase, at + words.length, 0, [])];
    }
    return [];
  }

  isWord(at: number, word: string): boolean {
    const token = this.tokens[at];
    return token !== undefined && !token.quoted && token.word === word;
  }

  /** Past articles and the like, which say nothing here. */
  past(at: number, ...words: string[]): number {
    const said = ['the', 'a', 'an', 'all', 'any', 'every', 'their', 'its', 'please', ...words];
    let next = at;
    while (said.some((word) => this.isWord(next, word))) next += 1;
    return next;
  }

  termsAt(at: number): TermMatch[] {
    this.step();
    return this.terms[at] ?? [];
  }

  valuesAt(at: number): ValueMatch[] {
    this.step();
    return this.values.filter(({ from }) => from === at);
  }

  /** The classes that may be named there. */
  classAt(at: number): Found<string>[] {
    return this.termsAt(at).flatMap(({ term, length, cost }) =>
      term.kind === 'class'
        ? [this.found(term.class, at + length, cost, [{ from: at, length, as: `the class ${term.class}` }])]
        : [],
    );
  }

  /** The fields of a class, or of any, that may be named there. */
  fieldAt(at: number, of?: string): Found<{ class: string; field: Field }>[] {
    return this.termsAt(at).flatMap(({ term, length, cost }) =>
      term.kind === 'field' && (of === undefined || term.class === of)
        ? [
            this.found({ class: term.class, field: term.field }, at + length, cost, [
              { from: at, length, as: `the field ${term.class}.${term.field.name}` },
            ]),
          ]
        : [],
    );
  }

  found<Value>(value: Value, at: number, cost = 0, taken: Taken[] = []): Found<Value> {
    if (at > this.furthest) this.furthest = at;
    return { value, at, cost, taken };
  }

  get end(): number {
    return this.tokens.length;
  }
}

/** What comes after what. */
export function then<One, Other>(
  found: Found<One>[],
  next: (value: One, at: number) => Found<Other>[],
): Found<Other>[] {
  return found.flatMap((one) =>
    next(one.value, one.at).map((other) => ({
      ...other,
      cost: one.cost + other.cost,
      taken: [...one.taken, ...other.taken],
    })),
  );
}

export function map<One, Other>(found: Found<One>[], to: (value: One) => Other): Found<Other>[] {
  return found.map((each) => ({ ...each, value: to(each.value) }));
}

/** The same with what it was taken for, or guessed. */
export function noted<Value>(found: Found<Value>[], from: number, as: string, cost = 0): Found<Value>[] {
  return found.map((each) => ({
    ...each,
    cost: each.cost + cost,
    taken: [...each.taken, { from, length: each.at - from, as }],
  }));
}

/** Ways to read one part that are kept. */
const mostWays = 40;

/** Each meaning once, the surest first. */
export function fewest<Value>(found: Found<Value>[]): Found<Value>[] {
  const best = new Map<string, Found<Value>>();
  for (const each of found) {
    const key = `${each.at} ${JSON.stringify(each.value)}`;
    const other = best.get(key);
    if (!other || each.cost < other.cost) best.set(key, each);
  }
  return [...best.values()].sort((one, other) => one.cost - other.cost).slice(0, mostWays);
}
