import type { Field } from '../../vocabulary/vocabulary.ts';
import type { Condition, EntitySet } from '../query.ts';
import { isOfSeveral, joined } from './measures.ts';
import { guessed, nounPhraseAt } from './nouns.ts';
import { entityAt, isOf, linkedTo, several } from './objects.ts';
import { type Found, map, noted, type Reading, then } from './state.ts';

/** What stands in a question before what is said of it: the entities that are asked for. */
export function invertedAt(reading: Reading, at: number): Found<EntitySet>[] {
  return [
    ...inWhichAt(reading, at),
    ...whereTheyAt(reading, at),
    ...whatTheyAt(reading, at),
    ...ofWhichAt(reading, at),
    ...sameAsAt(reading, at),
    ...sharedAt(reading, at),
  ];
}

const people = ['people', 'they', 'its people', 'their people', 'the people', 'inhabitants', 'the inhabitants'];

/** `in which countries is Portuguese spoken`, `in which of the neighbours of Germany do people speak French`. */
function inWhichAt(reading: Reading, at: number): Found<EntitySet>[] {
  const intro = reading.eat(at, 'in which of', 'in what', 'in which');
  return then(intro, (_, next) => then(nounPhraseAt(reading, next), (set, verb) => placeOf(reading, verb, set)));
}

/** After `in how many`: the same. */
export function placeAfter(reading: Reading, at: number): Found<EntitySet>[] {
  return then(nounPhraseAt(reading, at), (set, verb) => placeOf(reading, verb, set));
}

/** `is Portuguese spoken`, `do people speak Swahili`: what is so in a place. Nothing more is said of the first of an order. */
function placeOf(reading: Reading, at: number, set: EntitySet): Found<EntitySet>[] {
  if (set.order || set.where?.kind === 'is') return [];
  const passive = then(reading.eat(at, 'is', 'are'), (_, next) =>
    then(entityAt(reading, next), (entity, after) => {
      const [not] = reading.eat(after, 'not');
      const verbs = linkAt(reading, not?.at ?? after, set.class).filter(({ value }) => value.target === entity.class);
      return map(verbs, ({ name }): Condition => {
        const link: Condition = { kind: 'link', field: name, of: isOf([entity]) };
        return not ? { kind: 'not', of: link } : link;
      });
    }),
  );
  return map([...passive, ...theyDo(reading, at, set.class)], (where) => joined(set, where));
}

/** `do people speak Swahili`. */
function theyDo(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(they(reading, at), (_, next) =>
    then(linkAt(reading, next, of), ({ name, target }, object) => linkedTo(reading, object, name, target)),
  );
}

function they(reading: Reading, at: number): Found<string>[] {
  return then(reading.eat(at, 'do'), (_, next) => reading.eat(next, ...people));
}

/** `where do they speak Dutch`. */
function whereTheyAt(reading: Reading, at: number): Found<EntitySet>[] {
  return then(reading.eat(at, 'where'), (_, next) =>
    reading.lexicon.vocabulary.classes.flatMap(({ name: of }) =>
      map(theyDo(reading, next, of), (where): EntitySet => ({ class: of, where })),
    ),
  );
}

/** `languages do people speak in Bolivia`, `what do people pay with in Japan`. */
function whatTheyAt(reading: Reading, at: number): Found<EntitySet>[] {
  const nouns: Found<string | undefined>[] = reading.classAt(at);
  const named = [...nouns, reading.found<string | undefined>(undefined, at)];
  return then(named, (target, verb) =>
    then(they(reading, verb), (_, next) =>
      then(linkAt(reading, next), ({ class: of, name, target: reached }, after) =>
        target !== undefined && target !== reached
          ? []
          : then(reading.eat(after, 'in'), (_in, place) =>
              nounPhraseAt(reading, place, of).map((each) => ({
                ...each,
                cost: each.cost + (isOfSeveral(each.value, name) ? guessed : 0),
                value: { class: reached, from: { set: each.value, link: name } },
              })),
            ),
      ),
    ),
  );
}

/** `country is Lima the capital of`; `of which country is Nairobi the capital`. */
function ofWhichAt(reading: Reading, at: number): Found<EntitySet>[] {
  const [of] = reading.eat(at, 'of which', 'of what');
  return then(nounPhraseAt(reading, of?.at ?? at), (set, verb) => {
    if (set.order || set.where?.kind === 'is') return [];
    return then(reading.eat(verb, 'is', 'are'), (_, next) =>
      then(entityAt(reading, next), (entity, after) =>
        then(linkAt(reading, reading.past(after, 'official'), set.class), ({ name, target }, end) => {
          if (target !== entity.class) return [];
          const found = joined(set, { kind: 'link', field: name, of: isOf([entity]) });
          return of ? [reading.found(found, end)] : reading.eat(end, 'of').map((each) => ({ ...each, value: found }));
        }),
      ),
    );
  });
}

/** `city is the capital of Peru`: a class, and the road to its entities. */
function sameAsAt(reading: Reading, at: number): Found<EntitySet>[] {
  return then(reading.classAt(at), (of, verb) =>
    then(reading.eat(verb, 'is', 'are'), (_, next) =>
      // `country is Lima the capital of` is asked the other way round.
      entityAt(reading, next).length > 0
        ? []
        : map(
            nounPhraseAt(reading, next, of).filter(({ value }) => value.from !== undefined),
            (set) => wayBack(reading, set) ?? set,
          ),
    ),
  );
}

/** A link, or the way back of one, that may be named there. */
function linkAt(reading: Reading, at: number, of?: string): Found<{ class: string; name: string; target: string }>[] {
  return then(reading.fieldAt(at, of), ({ class: owner, field }, next) =>
    field.kind === 'literal' ? [] : [reading.found({ class: owner, name: field.name, target: field.target }, next)],
  );
}

/** `do Spain and Portugal share a border`: whether either is linked to the other. */
export function eachOtherAt(reading: Reading, at: number): Found<EntitySet>[] {
  return then(reading.eat(at, 'do', 'does', 'are'), (_, next) =>
    then(entityAt(reading, next), (one, and) =>
      then(reading.eat(and, 'and'), (_and, second) =>
        then(entityAt(reading, second, one.class), (other, verb) =>
          noted(
            then(linkAt(reading, verb, one.class), ({ name, target }, end) => {
              if (target !== one.class) return [];
              const [each] = reading.eat(end, 'each other', 'one another');
              const link = (from: typeof one, to: typeof one): Condition => ({
                kind: 'and',
                of: [isOf([from]), { kind: 'link', field: name, of: isOf([to]) }],
              });
              const where: Condition = { kind: 'or', of: [link(one, other), link(other, one)] };
              return [reading.found<EntitySet>({ class: one.class, where }, each?.at ?? end)];
            }),
            verb,
            'each to the other',
          ),
        ),
      ),
    ),
  );
}

/** `languages do Austria and Switzerland share`: those that lead back to each. Without a way back it isn't read. */
export function sharedAt(reading: Reading, at: number): Found<EntitySet>[] {
  const links: Found<{ class?: string; name?: string; target: string }>[] = linkAt(
    reading,
    reading.past(at, 'official'),
  );
  const classes: typeof links = map(reading.classAt(at), (target) => ({ target }));
  return then([...links, ...classes], (link, verb) =>
    then(reading.eat(verb, 'do', 'are'), (_, next) =>
      then(
        several(reading, next, (from) => entityAt(reading, from, link.class)),
        ({ all, of: [first, ...others] }, after) => {
          if (!all || !first || others.length === 0 || others.some((each) => each.class !== first.class)) return [];
          const links = reading.lexicon
            .classOf(first.class)
            .fields.filter(({ name }) => link.name === undefined || name === link.name)
            .flatMap((field) => (field.kind === 'link' && field.target === link.target ? [field.name] : []));
          const [only, ...more] = links.flatMap((name) => inverseOf(reading, name, first.class, link.target) ?? []);
          if (!only || more.length > 0) return [];
          const of = [first, ...others].map(
            (each): Condition => ({ kind: 'link', field: only.name, of: isOf([each]) }),
          );
          const where: Condition = { kind: 'and', of };
          return reading
            .eat(after, 'share', 'both share', 'have in common', 'both have')
            .map((each) => ({ ...each, value: { class: link.target, where } }));
        },
      ),
    ),
  );
}

/** Of one link from described entities the way back: the same entities, where their class has such a field. */
export function wayBack(reading: Reading, { class: of, from, where }: EntitySet): EntitySet | undefined {
  if (!from || where || from.set.from || from.set.order || !from.set.where) return undefined;
  const back = inverseOf(reading, from.link, from.set.class, of);
  return back && { class: of, where: { kind: 'link', field: back.name, of: from.set.where } };
}

/** The way back of a link, where its class has one. */
function inverseOf(reading: Reading, link: string, from: string, to: string): Field | undefined {
  return reading.lexicon
    .classOf(to)
    .fields.find((field) => field.kind === 'inverse' && field.of === link && field.target === from);
}
