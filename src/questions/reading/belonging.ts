import type { Field, InverseField, LinkField } from '../../vocabulary/vocabulary.ts';
import type { Condition } from '../query.ts';
import { linksOf } from './conditions.ts';
import { entityAt, linkedTo } from './objects.ts';
import { type Found, map, noted, type Reading, then } from './state.ts';
import { inAny } from './verbs.ts';

/** That one belongs to the other is said by no name of a link. */
export const ownCost = 0.2;

const words = ['by', 'of', 'from', 'in', 'on', 'for', 'to', 'at', 'with'];
/** What says no more than that the one belongs to the other; others are read by the name of the link. */
const verbs = [
  ...['made', 'written', 'placed', 'created', 'owned', 'belonging', 'belong', 'belongs', 'assigned', 'work', 'works'],
  ...['working', 'is', 'are'],
];
const deeds = ['make', 'write', 'place', 'create', 'own', 'have'];

type Link = LinkField | InverseField;

/**
 * `by Queen`, `in the genre Rock`, `placed by Frank Harris`: rows of a table that belong to a row of another. Where they
 * may belong to it in two ways, as flights to an airport, each is one way to read it.
 */
export function belongingAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  if (!reading.lexicon.ofTables) return [];
  const intro = reading.eat(at, ...verbs.flatMap((verb) => words.map((word) => `${verb} ${word}`)), ...words);
  return linksOf(reading, of).flatMap((link) => {
    const named = isNamedBy(reading, at, link) ? reading.eat(at + 1, 'by') : [];
    return then([...intro, ...named], (_, next) => {
      const from = reading.past(next);
      const called = reading.classAt(from).filter(({ value }) => value === link.target);
      if (entityAt(reading, from, link.target).length + called.length === 0) return [];
      const linked = [
        ...linkedTo(reading, from, link.name, link.target),
        ...then(called, (_class, end) =>
          map(entityAt(reading, end, link.target), ({ id, label }): Condition => {
            return { kind: 'link', field: link.name, of: { kind: 'is', ids: [id], label } };
          }),
        ),
      ];
      return noted(
        linked.flatMap((each) => inEither(each, link)),
        at,
        `the field ${of}.${link.name}`,
        ownCost,
      );
    });
  });
}

/** `by A and B` may mean by both, or by either; where each belongs to one only, it means either. */
function inEither(found: Found<Condition>, link: Link): Found<Condition>[] {
  const either = inAny(found, link.name);
  const isList = link.kind === 'inverse' || link.list;
  return isList || either.length === 0 ? [found, ...either] : either;
}

/** Behind `books did Harbour Press`: `publish`, as their link is called `publisher`, or what says nothing further. */
export function doneAt(reading: Reading, at: number, of: string, target: string): Found<Link>[] {
  const isLink = (field: Field): field is Link => field.kind !== 'literal' && field.target === target;
  const called = reading
    .fieldAt(at, of)
    .flatMap((each) => (isLink(each.value.field) ? [{ ...each, value: each.value.field }] : []));
  if (!reading.lexicon.ofTables) return called;
  const links = linksOf(reading, of).filter((field) => field.target === target);
  const isDeed = deeds.some((deed) => reading.isWord(at, deed));
  const done = links.filter((link) => isDeed || isNamedBy(reading, at, link));
  return [
    ...called,
    ...noted(
      done.map((link) => reading.found(link, at + 1)),
      at,
      'a link',
      ownCost,
    ),
  ];
}

/** Whether a verb is in the name of a link: `publish` in `publisher`. */
function isNamedBy({ tokens }: Reading, at: number, link: Link): boolean {
  const { root = '' } = tokens[at] ?? {};
  const name = link.kind === 'inverse' ? link.of : link.name;
  return root.length > 3 && (name === root || name === `${root}r` || name === `${root}er` || name === `${root}or`);
}
