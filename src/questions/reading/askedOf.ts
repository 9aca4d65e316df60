import type { Condition, EntitySet, Query } from '../query.ts';
import { doneAt } from './belonging.ts';
import { isOfSeveral, ownerAt } from './measures.ts';
import { guessed, nounPhraseAt } from './nouns.ts';
import { entityAt, isOf } from './objects.ts';
import { type Found, map, type Reading, then } from './state.ts';

const listOf = (set: EntitySet, show: string[]): Query => ({ kind: 'list', set, show });

/** `languages does Switzerland have`, `currency do the neighbours of France use`, `countries does France border`. */
export function askedOfAt(reading: Reading, at: number): Found<Query>[] {
  const byField = then(reading.fieldAt(reading.past(at, 'official')), ({ class: of, field }, next) =>
    map(
      ownerAt(reading, next, of, field.name),
      (set): Query =>
        field.kind === 'literal'
          ? listOf(set, [field.name])
          : { kind: 'list', set: { class: field.target, from: { set, link: field.name } }, show: [] },
    ),
  );
  const byClass = then(reading.classAt(reading.past(at)), (target, next) =>
    then(reading.eat(next, 'does', 'do', 'did'), (_, after) =>
      then(nounPhraseAt(reading, after), (set, verb) =>
        then(doneAt(reading, verb, set.class, target), (field, end) => {
          const query: Query = { kind: 'list', set: { class: target, from: { set, link: field.name } }, show: [] };
          const cost = isOfSeveral(set, field.name) ? guessed : 0;
          return [reading.found(query, reading.eat(end, 'with', 'in', 'to')[0]?.at ?? end, cost)];
        }),
      ),
    ),
  );
  // `in which region is Mongolia`, `where is the krone used`.
  const inField = then(reading.eat(at, 'in which', 'in what', 'to which', 'which', 'what'), (_, next) =>
    then(reading.fieldAt(next), ({ class: of, field }, verb) =>
      field.kind !== 'literal' || field.scalar !== 'String'
        ? []
        : then(reading.eat(verb, 'is', 'are', 'does'), (_is, subject) =>
            then(nounPhraseAt(reading, subject, of), (set, end) => [
              reading.found(listOf(set, [field.name]), reading.eat(end, 'in', 'belong to')[0]?.at ?? end),
            ]),
          ),
    ),
  );
  return [...byField, ...byClass, ...inField, ...whereUsed(reading, at), ...whoAt(reading, at)];
}

/** `who does Emil Hansen report to`. */
function whoAt(reading: Reading, at: number): Found<Query>[] {
  return then(reading.eat(at, 'who does', 'who do', 'who did'), (_, next) =>
    then(nounPhraseAt(reading, next), (set, verb) =>
      then(reading.fieldAt(verb, set.class), ({ field }, end) =>
        field.kind === 'literal' || isOfSeveral(set, field.name)
          ? []
          : [
              reading.found<Query>(
                { kind: 'list', set: { class: field.target, from: { set, link: field.name } }, show: [] },
                end,
              ),
            ],
      ),
    ),
  );
}

/** `where is the Danish krone used`: what is linked to it by that word. */
function whereUsed(reading: Reading, at: number): Found<Query>[] {
  return then(reading.eat(at, 'where is', 'where are'), (_, next) =>
    then(entityAt(reading, next), (entity, verb) =>
      then(reading.fieldAt(verb), ({ class: of, field }, end) => {
        if (field.kind !== 'link' || field.target !== entity.class || of === entity.class) return [];
        const where: Condition = { kind: 'link', field: field.name, of: isOf([entity]) };
        return [reading.found<Query>({ kind: 'list', set: { class: of, where }, show: [] }, end)];
      }),
    ),
  );
}
