import type { LiteralField } from '../../vocabulary/vocabulary.ts';
import type { Comparison, Condition, EntitySet } from '../query.ts';
import { amountAt, amountFor, numberAt, rangeAt, textComparisonAt } from './amounts.ts';
import { nounPhraseAt } from './nouns.ts';
import { entityAt, isOf, linkedTo, several, textAt } from './objects.ts';
import { comparedAt } from './order.ts';
import { type Found, fewest, map, noted, type Reading, then } from './state.ts';

/** What entities of a class have: what follows `with` and `have`. */
export function havingAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const none = then(reading.eat(at, 'no', 'not any', 'without'), (_, next) =>
    map(
      noted(hasAny(reading, reading.past(next), of), at, 'none'),
      (condition): Condition => ({ kind: 'not', of: condition }),
    ),
  );
  const from = reading.past(at);
  return fewest([
    ...none,
    ...countedAt(reading, from, of),
    ...countThanAt(reading, at, of),
    ...amountsAt(reading, from, of),
    ...comparedToAt(reading, at, of),
    ...fieldIsAt(reading, from, of),
    ...noted(hasAny(reading, from, of), from, 'whichever', 0.5),
    ...valueAsFieldAt(reading, from, of),
    ...uniqueLinkAt(reading, from, of),
  ]);
}

/** `with a capital`: whichever. */
function hasAny(reading: Reading, at: number, of: string): Found<Condition>[] {
  return reading.fieldAt(at, of).map((each) => ({ ...each, value: { kind: 'known', field: each.value.field.name } }));
}

/** `more than three`, `at least two`, `several`, `exactly one`. */
export function boundsAt(reading: Reading, at: number): Found<[Comparison, number][]>[] {
  const several: Found<[Comparison, number][]>[] = reading
    .eat(at, 'several', 'multiple', 'more than one')
    .map((each) => ({ ...each, value: [['gt', 1]] }));
  const range = rangeAt(reading, at).map((each) => ({
    ...each,
    value: each.value.map(({ op, amount }): [Comparison, number] => [op, amount.value]),
  }));
  const exact = numberAt(reading, reading.past(at, 'only')).map((each) => ({
    ...each,
    value: [['eq', each.value]] as [Comparison, number][],
  }));
  return [...several, ...range, ...exact];
}

/** `more than three neighbours`. */
function countedAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return noted(
    then(boundsAt(reading, at), (bounds, next) =>
      then(reading.fieldAt(reading.past(next, 'different', 'official'), of), ({ field }, after) => {
        if (field.kind === 'literal' || (field.kind === 'link' && !field.list)) return [];
        const conditions = bounds.map(([op, value]): Condition => ({ kind: 'count', field: field.name, op, value }));
        return [reading.found(allOf(conditions), after)];
      }),
    ),
    at,
    'how many there are',
  );
}

/** `more neighbours than Germany`, `as many languages as Switzerland`. */
function countThanAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const intro: Found<[Comparison, string]>[] = [
    ...reading.eat(at, 'more').map((each) => ({ ...each, value: ['gt', 'than'] as [Comparison, string] })),
    ...reading.eat(at, 'fewer', 'less').map((each) => ({ ...each, value: ['lt', 'than'] as [Comparison, string] })),
    ...reading.eat(at, 'as many').map((each) => ({ ...each, value: ['eq', 'as'] as [Comparison, string] })),
  ];
  return noted(
    then(intro, ([op, than], next) =>
      then(reading.fieldAt(next, of), ({ field }, after) =>
        field.kind === 'literal' || (field.kind === 'link' && !field.list)
          ? []
          : then(reading.eat(after, than), (_, other) =>
              entityAt(reading, other, of).map((each) => ({
                ...each,
                value: {
                  kind: 'count' as const,
                  field: field.name,
                  op,
                  value: { class: of, id: each.value.id, label: each.value.label },
                },
              })),
            ),
      ),
    ),
    at,
    'how many there are',
  );
}

/** `a population over 10 million`, `over 10 million inhabitants`, `an area between …`. */
function amountsAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const fieldFirst = then(reading.fieldAt(at, of), ({ field }, next) =>
    field.kind === 'literal' ? compareAt(reading, reading.past(next, 'of', 'is', 'are', 'was'), field) : [],
  );
  const amountFirst = then(rangeAt(reading, at), (bounds, next) =>
    then(reading.fieldAt(reading.past(next, 'of'), of), ({ field }, after) => {
      const condition = field.kind === 'literal' && within(field, bounds);
      return condition ? [reading.found(condition, after)] : [];
    }),
  );
  return [...fieldFirst, ...amountFirst, ...byUnit(reading, at, of)];
}

/** `over 100,000 square kilometres`: the field that has this unit. */
function byUnit(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(rangeAt(reading, at), (bounds, next) =>
    literals(reading, of).flatMap((field) => {
      const condition = bounds.some(({ amount }) => amount.unit) ? within(field, bounds) : undefined;
      return condition ? [reading.found(condition, next)] : [];
    }),
  );
}

/** `population over 10 million`, `over 10 million people`, without `with`. */
export function amountFieldAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return amountsAt(reading, at, of);
}

export function literals(reading: Reading, of: string): LiteralField[] {
  return reading.lexicon.classOf(of).fields.flatMap((field) => (field.kind === 'literal' ? [field] : []));
}

function within(field: LiteralField, bounds: { op: Comparison; amount: Parameters<typeof amountFor>[1] }[]) {
  const conditions = bounds.flatMap(({ op, amount }): Condition[] => {
    const value = amountFor(field, amount);
    return value === undefined ? [] : [{ kind: 'compare', field: field.name, op, value }];
  });
  return conditions.length === bounds.length ? allOf(conditions) : undefined;
}

/** What is said of a literal field's value: a range, an amount, a text, the beginning of one. */
export function compareAt(reading: Reading, at: number, field: LiteralField): Found<Condition>[] {
  const compare = (op: Comparison, value: string | number): Condition => ({
    kind: 'compare',
    field: field.name,
    op,
    value,
  });
  if (field.scalar === 'Int' || field.scalar === 'Float') {
    const ranges = then(rangeAt(reading, at), (bounds, next) => {
      const condition = within(field, bounds);
      return condition ? [reading.found(condition, next)] : [];
    });
    const exact = then(amountAt(reading, at), (amount, next) => {
      const value = amountFor(field, amount);
      return value === undefined ? [] : [reading.found(compare('eq', value), next)];
    });
    return [...ranges, ...exact];
  }
  if (field.scalar !== 'String') return [];
  const beginning = then(textComparisonAt(reading, at), (op, next) =>
    then(freeTextAt(reading, reading.past(next, 'letter')), (text, end) => [reading.found(compare(op, text), end)]),
  );
  const equal = then(textsAt(reading, at, field), (condition, next) => [reading.found(condition, next)]);
  return [...beginning, ...equal];
}

function textsAt(reading: Reading, at: number, field: LiteralField): Found<Condition>[] {
  const values = several(reading, at, (from) => textAt(reading, from, undefined, field.name));
  return map(values, ({ of }) =>
    anyOf(of.map(({ value }) => ({ kind: 'compare', field: field.name, op: 'eq', value }))),
  );
}

/** A letter or a few, or what stands in quotation marks. */
function freeTextAt(reading: Reading, at: number): Found<string>[] {
  const token = reading.tokens[at];
  if (!token) return [];
  const isShort = token.quoted || at === reading.end - 1;
  if (!isShort) return [];
  const text = token.quoted ? token.text.replace(/^["“]|["”]$/g, '') : token.text;
  return [reading.found(text, at + 1, 0, [{ from: at, length: 1, as: `the text "${text}"` }])];
}

/** `larger than France`, `a larger population than 10 million`. */
export function comparedToAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return noted(
    then(comparedAt(reading, at, of), ({ by, descending }, next) => {
      const op = descending ? 'gt' : 'lt';
      const field = literals(reading, of).find(({ name }) => name === by.field);
      if (by.kind === 'count' || !field) return [];
      const entity = entityAt(reading, next, of).map((each) => ({
        ...each,
        value: {
          kind: 'compare' as const,
          field: by.field,
          op: op as Comparison,
          value: { class: of, id: each.value.id, label: each.value.label },
        },
      }));
      const amount = then(amountAt(reading, next), (said, end) => {
        const value = amountFor(field, said);
        // `longer than 300 pages`: the field is named again.
        const again = reading.fieldAt(end, of).filter((each) => each.value.field.name === by.field);
        return value === undefined
          ? []
          : [reading.found(true, end), ...again].map((each) =>
              reading.found<Condition>({ kind: 'compare', field: by.field, op, value }, each.at),
            );
      });
      return [...entity, ...amount];
    }),
    at,
    'a comparison',
  );
}

/** `capital Bern`, `the currency euro`: a link with its name. */
function fieldIsAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.fieldAt(at, of), ({ field }, next) =>
    field.kind === 'literal'
      ? textsAt(reading, reading.past(next, 'of'), field)
      : linkedTo(reading, reading.past(next, 'called', 'named'), field.name, field.target),
  );
}

/** `German as a language`. */
function valueAsFieldAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return linksOf(reading, of).flatMap(({ name, target }) =>
    then(linkedTo(reading, at, name, target), (condition, next) =>
      then(reading.eat(next, 'as', 'among', 'for'), (_, after) =>
        then(reading.fieldAt(reading.past(after, 'official'), of), ({ field }, end) =>
          field.name === name ? [reading.found(condition, end)] : [],
        ),
      ),
    ),
  );
}

export function linksOf(reading: Reading, of: string) {
  return reading.lexicon.classOf(of).fields.flatMap((field) => (field.kind === 'literal' ? [] : [field]));
}

/** `with the euro`: there is but one link of the class to a currency. */
function uniqueLinkAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const links = linksOf(reading, of).filter(({ target }) => target !== of);
  return links
    .filter(({ target }) => links.filter((other) => other.target === target).length === 1)
    .flatMap(({ name, target }) => noted(linkedTo(reading, at, name, target), at, `the field ${of}.${name}`, 0.4));
}

/** What people and shops do where they are. */
const homes = ['live', 'lives', 'living', 'based', 'come', 'comes', 'coming'];

/** `in Europe`: a text that entities of the class have. Of several any is meant, for each has one. */
export function placeAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const intro = reading.eat(
    at,
    ...['located', 'situated', 'found', 'lying', 'lie', 'lies', ...(reading.lexicon.ofTables ? homes : []), ''].flatMap(
      (verb) => ['in', 'within', 'inside', 'from', 'on', 'part of', 'of'].map((word) => `${verb} ${word}`.trim()),
    ),
  );
  return then(intro, (_, next) => textConditionAt(reading, next, of));
}

export function textConditionAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return map(
    several(reading, at, (from) => textAt(reading, from, of)).filter(
      ({ value }) => new Set(value.of.map(({ field }) => field)).size === 1,
    ),
    ({ of: values }) => anyOf(values.map(({ field, value }) => ({ kind: 'compare', field, op: 'eq', value }))),
  );
}

/** `except Switzerland`, `other than`. */
export function exceptAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(
    reading.eat(
      at,
      'except for',
      'except',
      'other than',
      'excluding',
      'but not',
      'apart from',
      'besides',
      'outside of',
      'outside',
    ),
    (said, next) => {
      const named = said.startsWith('outside')
        ? []
        : map(
            several(reading, next, (from) => entityAt(reading, from, of)),
            ({ of: entities }) => isOf(entities),
          );
      const placed = [...textConditionAt(reading, next, of), ...placeAt(reading, next, of)];
      return map(
        noted([...named, ...placed], at, 'without these'),
        (condition): Condition => ({ kind: 'not', of: condition }),
      );
    },
  );
}

/** `called Bern`. */
export function calledAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.eat(at, 'called', 'named'), (_, next) =>
    map(
      several(reading, next, (from) => entityAt(reading, from, of)),
      ({ of: entities }) => isOf(entities),
    ),
  );
}

/** The entities of a set as the object of a passive: `used by France`. */
export function agentAt(reading: Reading, at: number): Found<EntitySet>[] {
  return then(reading.eat(at, 'by'), (_, next) => nounPhraseAt(reading, next));
}

export function allOf(conditions: Condition[]): Condition {
  const [only] = conditions;
  return conditions.length === 1 && only ? only : { kind: 'and', of: conditions };
}

export function anyOf(conditions: Condition[]): Condition {
  const [only] = conditions;
  return conditions.length === 1 && only ? only : { kind: 'or', of: conditions };
}
