import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import type { Comparison, Condition } from '../query.ts';
import type { Token } from '../words.ts';
import { literals } from './conditions.ts';
import { both } from './objects.ts';
import { type Found, map, noted, type Reading, then } from './state.ts';

/** Days of ISO 8601, the second no more within. */
interface Span {
  from: string;
  until: string;
}

const months = 'january february march april may june july august september october november december'.split(' ');

/** What is said between a noun and a time: `invoices made in 2009`. */
const idle = ['made', 'placed', 'issued', 'created', 'dated', 'from', 'released'];

/**
 * `in 2009`, `hired after 2003`, `with an invoice date before March 2010`: when something of a table's rows was. A year
 * alone is a time only behind such a word.
 */
export function timeAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  if (!reading.lexicon.ofTables) return [];
  const fields = literals(reading, of).filter(({ scalar }) => scalar === 'Date' || scalar === 'DateTime');
  if (fields.length === 0) return [];
  const verb = reading.tokens[at];
  const called = fields.filter(({ name }) => verb && saysWhen(reading, verb, name.split(' ')[0] ?? ''));
  const named = then(reading.fieldAt(reading.past(at), of), ({ field }, next) =>
    fields
      .filter(({ name }) => name === field.name)
      .map((each) => reading.found(each, reading.eat(next, 'is', 'was', 'of')[0]?.at ?? next)),
  );
  const byVerb = called.map((each) => reading.found(each, at + 1, 0, [taken(at, of, each)]));
  const start = reading.eat(at, ...idle)[0]?.at ?? at;
  const plain = fields.map((each) => reading.found(each, start, 0, [taken(start, of, each)]));
  return noted(
    then([...named, ...byVerb, ...plain], (field, next) => timesAt(reading, next, field)),
    at,
    'a time',
  );
}

/** `hired` of a `hire date`, `born` of a `birth date`. */
function saysWhen({ lexicon }: Reading, verb: Token, name: string): boolean {
  return verb.word === 'born' ? name === 'birth' : lexicon.isRootOf(verb, name);
}

const taken = (from: number, of: string, { name }: LiteralField) => ({
  from,
  length: 1,
  as: `the field ${of}.${name}`,
});

function timesAt(reading: Reading, at: number, { name: field }: LiteralField): Found<Condition>[] {
  const compare = (op: Comparison, value: string): Condition => ({ kind: 'compare', field, op, value });
  const within = ({ from, until }: Span) => both(compare('gte', from), compare('lt', until));
  const between = then(reading.eat(at, 'between', 'from'), (_, next) =>
    then(spanAt(reading, next), (one, and) =>
      then(reading.eat(and, 'and', 'to', 'until'), (_and, end) =>
        map(spanAt(reading, end), (other) => within({ from: one.from, until: other.until })),
      ),
    ),
  );
  const said = (to: (span: Span) => Condition, ...words: string[]) =>
    then(reading.eat(at, ...words), (_, next) => map(spanAt(reading, next), to));
  return [
    ...between,
    ...said(within, 'in', 'during', 'on', 'of', 'in the year', 'from'),
    ...said(({ from }) => compare('gte', from), 'since'),
    ...said(({ until }) => compare('gte', until), 'after', 'later than'),
    ...said(({ from }) => compare('lt', from), 'before', 'earlier than'),
  ];
}

/** `2009`, `March 2010`, `2010-03-04`: the whole of it. */
function spanAt(reading: Reading, at: number): Found<Span>[] {
  const [one = '', two = '', three = ''] = [0, 1, 2].map((index) => reading.tokens[at + index]?.word ?? '');
  const isYear = (word: string) => /^(?:1[5-9]|2\d)\d\d$/.test(word);
  const found = (from: Date, until: Date, length: number) => {
    const span = { from: dayOf(from), until: dayOf(until) };
    return [reading.found(span, at + length, 0, [{ from: at, length, as: `the time from ${span.from} on` }])];
  };
  if (isYear(one) && /^\d\d$/.test(two) && /^\d\d$/.test(three)) {
    const [year, month, day] = [one, two, three].map(Number) as [number, number, number];
    const date = new Date(Date.UTC(year, month - 1, day));
    return date.getUTCMonth() === month - 1 ? found(date, new Date(Date.UTC(year, month - 1, day + 1)), 3) : [];
  }
  if (isYear(one)) return found(new Date(Date.UTC(Number(one), 0)), new Date(Date.UTC(Number(one) + 1, 0)), 1);
  const month = months.indexOf(one);
  if (month < 0 || !isYear(two)) return [];
  return found(new Date(Date.UTC(Number(two), month)), new Date(Date.UTC(Number(two), month + 1)), 2);
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);
