import type { Condition, Query } from '../query.ts';
import { eachOtherAt, wayBack } from './inverted.ts';
import { joined, saidOfSet } from './measures.ts';
import { nounPhraseAt } from './nouns.ts';
import { both } from './objects.ts';
import { type Found, map, type Reading, then } from './state.ts';
import { stateAt, verbPhraseAt } from './verbs.ts';

/** `is Switzerland landlocked`, `does France border Spain`, `are there countries without neighbours`. */
export function truthAt(reading: Reading, at: number): Found<Query>[] {
  const exists = then(reading.eat(at, 'are there', 'is there'), (_, next) =>
    then(nounPhraseAt(reading, next), (set, end) => [
      reading.found<Query>({ kind: 'truth', set }, end),
      ...map(saidOfSet(reading, end, set), (said): Query => ({ kind: 'truth', set: said })),
    ]),
  );
  const does = then(reading.eat(at, 'does', 'do', 'did', 'has', 'have'), (_, next) => saidOfName(reading, next));
  const is = then(reading.eat(at, 'is', 'are', 'was'), (verb, next) => [
    ...saidOfName(reading, next, verb),
    ...isThat(reading, next),
  ]);
  const mutual = map(eachOtherAt(reading, at), (set): Query => ({ kind: 'truth', set }));
  return [...exists, ...does, ...is, ...mutual];
}

/** What is said of one entity; after `is` it is said as if the verb stood behind the name. */
function saidOfName(reading: Reading, at: number, verb?: string): Found<Query>[] {
  return then(nounPhraseAt(reading, at), (set, next) => {
    if (set.where?.kind !== 'is' || set.where.ids.length !== 1) return [];
    const said: Found<Condition>[] =
      verb === undefined ? verbPhraseAt(reading, next, set.class) : stateAt(reading, reading.past(next), set.class);
    return map(said, (where): Query => ({ kind: 'truth', set: joined(set, where) }));
  });
}

/** `is Bern the capital of Switzerland`: whether the one is among the others. */
function isThat(reading: Reading, at: number): Found<Query>[] {
  return then(nounPhraseAt(reading, at), (one, next) => {
    if (one.where?.kind !== 'is' || one.where.ids.length !== 1) return [];
    const which = one.where;
    return then(nounPhraseAt(reading, next, one.class), (set, end) => {
      const back = wayBack(reading, set)?.where;
      return (set.where?.kind === 'is' && !set.from) || set.order
        ? []
        : [
            reading.found<Query>(
              { kind: 'truth', set: back ? { class: set.class, where: both(which, back) } : joined(set, which) },
              end,
            ),
          ];
    });
  });
}
