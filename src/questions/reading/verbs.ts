import type { Field } from '../../vocabulary/vocabulary.ts';
import type { Condition } from '../query.ts';
import { belongingAt } from './belonging.ts';
import {
  allOf,
  amountFieldAt,
  anyOf,
  boundsAt,
  calledAt,
  compareAt,
  comparedToAt,
  havingAt,
  linksOf,
  literals,
  placeAt,
  textConditionAt,
} from './conditions.ts';
import { labelOf } from './labels.ts';
import { linkedTo } from './objects.ts';
import { type Found, fewest, map, noted, type Reading, then } from './state.ts';
import { timeAt } from './times.ts';

/** What is said of entities of a class: `border France and are not landlocked`. All of it, or any. */
export function verbPhraseAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return reading.once(`verbs ${of} ${at}`, () => {
    const first = verbAt(reading, at, of);
    const all = then(first, (one, next) => map(furtherAt(reading, next, of, 'and'), (more) => allOf([one, ...more])));
    const any = then(first, (one, next) => map(furtherAt(reading, next, of, 'or'), (more) => anyOf([one, ...more])));
    return [...first, ...all, ...any];
  });
}

function furtherAt(reading: Reading, at: number, of: string, word: 'and' | 'or'): Found<Condition[]>[] {
  const joins = word === 'and' ? [', and', ', but', 'and', 'but', ','] : [', or', 'or'];
  return then(reading.eat(at, ...joins), (_, from) => {
    const [that] = reading.eat(from, 'that', 'which', 'who');
    const next = that?.at ?? from;
    const one = [...verbAt(reading, next, of), ...modifierAt(reading, next, of)];
    return then(one, (condition, end) => [
      reading.found([condition], end),
      ...map(furtherAt(reading, end, of, word), (more) => [condition, ...more]),
    ]);
  });
}

/** What stands after a noun without a verb of its own: `in Europe`, `with no neighbours`, `bordering France`. */
export function modifierAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const negated = then(reading.eat(at, 'not'), (_, next) => map(plainModifierAt(reading, next, of), notOf));
  return fewest([...plainModifierAt(reading, at, of), ...negated]);
}

function plainModifierAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const having = then(reading.eat(at, 'with', 'having', 'that have', 'which have'), (_, next) =>
    havingAt(reading, next, of),
  );
  const without = then(reading.eat(at, 'without'), (_, next) => map(havingAt(reading, next, of), notOf));
  return [
    ...having,
    ...without,
    ...placeAt(reading, at, of),
    ...calledAt(reading, at, of),
    ...comparedToAt(reading, at, of),
    ...whoseAt(reading, at, of),
    ...whereAt(reading, at, of),
    ...linkVerbAt(reading, at, of),
    ...startsAt(reading, at, of),
    ...amountFieldAt(reading, at, of),
    ...belongingAt(reading, at, of),
    ...timeAt(reading, at, of),
  ];
}

const notOf = (condition: Condition): Condition =>
  condition.kind === 'compare' && typeof condition.value === 'boolean'
    ? { ...condition, value: !condition.value }
    : { kind: 'not', of: condition };

function verbAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const negative = then(reading.eat(at, 'do not', 'does not', 'did not', 'can not'), (_, next) =>
    map(
      noted(
        [...linkVerbAt(reading, next, of), ...haveAt(reading, next, of), ...startsAt(reading, next, of)],
        at,
        'not',
      ),
      notOf,
    ),
  );
  const start = reading.eat(at, 'do', 'does')[0]?.at ?? at;
  return fewest([
    ...negative,
    ...linkVerbAt(reading, start, of),
    ...haveAt(reading, start, of),
    ...beAt(reading, at, of),
    ...startsAt(reading, start, of),
    ...literalVerbAt(reading, start, of),
    ...placeAt(reading, start, of),
    ...belongingAt(reading, start, of),
    ...timeAt(reading, start, of),
  ]);
}

function haveAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.eat(at, 'have', 'has', 'had', 'having', 'contain', 'contains'), (_, next) =>
    havingAt(reading, next, of),
  );
}

/** `are in Europe`, `is not landlocked`, `are larger than France`, `are spoken in France`. */
function beAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.eat(at, 'are', 'is', 'was', 'were'), (_, next) => {
    const negated = then(reading.eat(next, 'not'), (_not, after) =>
      map(noted(stateAt(reading, reading.past(after), of), next, 'not'), notOf),
    );
    return [...stateAt(reading, reading.past(next, 'both', 'also'), of), ...negated];
  });
}

/** What stands after `is`. */
export function stateAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return fewest([
    ...booleanAt(reading, at, of),
    ...placeAt(reading, at, of),
    ...textConditionAt(reading, at, of),
    ...comparedToAt(reading, at, of),
    ...linkVerbAt(reading, at, of),
    ...calledAt(reading, at, of),
    ...amountFieldAt(reading, at, of),
    ...belongingAt(reading, at, of),
    ...timeAt(reading, at, of),
  ]);
}

/** `landlocked`, where the class has such a field. */
export function booleanAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.fieldAt(at, of), ({ field }, next) =>
    field.kind === 'literal' && field.scalar === 'Boolean'
      ? [reading.found<Condition>({ kind: 'compare', field: field.name, op: 'eq', value: true }, next)]
      : [],
  );
}

/** `border France`, `spoken in Switzerland`, `speaking German`, `of` left aside: that is a path. */
export function linkVerbAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.fieldAt(at, of), ({ field }, next) => {
    if (field.kind === 'literal') return [];
    const [with_] = reading.eat(next, 'with', 'to', 'on');
    const counted = linkCountAt(reading, reading.eat(next, 'with', 'in', 'by')[0]?.at ?? next, field);
    const linked = linkedTo(reading, next, field.name, field.target);
    // `spoken in France and Belgium` may mean in both, or in either.
    const either = field.kind === 'inverse' ? linked.flatMap((each) => inAny(each, field.name)) : [];
    return [...linked, ...either, ...counted, ...(with_ ? linkedTo(reading, with_.at, field.name, field.target) : [])];
  });
}

/** `speak more than three languages`, `spoken in two countries`: nothing is said of which, so nothing may follow. */
function linkCountAt(reading: Reading, at: number, field: Field): Found<Condition>[] {
  if (field.kind === 'literal' || !isList(field)) return [];
  const followers = ['and', 'or', 'but', ','];
  return then(boundsAt(reading, at), (bounds, next) =>
    reading
      .classAt(reading.past(next, 'different', 'other', 'official'))
      .filter(({ value, at: end }) => value === field.target && isLast(reading, end, followers))
      .map((each) => ({
        ...each,
        value: allOf(bounds.map(([op, value]): Condition => ({ kind: 'count', field: field.name, op, value }))),
      })),
  );
}

const isLast = (reading: Reading, at: number, followers: string[]) =>
  at === reading.end || followers.some((word) => reading.isWord(at, word));
const isList = (field: Field) => field.kind === 'inverse' || (field.kind === 'link' && field.list);

export function inAny(found: Found<Condition>, field: string): Found<Condition>[] {
  const { value } = found;
  if (value.kind !== 'and') return [];
  const inner = value.of.flatMap((each) => (each.kind === 'link' && each.of.kind === 'is' ? [each.of] : []));
  if (inner.length !== value.of.length) return [];
  const of: Condition = {
    kind: 'is',
    ids: inner.flatMap(({ ids }) => ids),
    label: inner.map(({ label }) => label).join(' or '),
  };
  return [{ ...found, value: { kind: 'link', field, of } }];
}

/** `start with A`: of what entities of the class are called. */
function startsAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  const label = labelOf(reading.lexicon.classOf(of));
  if (!label) return [];
  const field = literals(reading, of).find(({ name }) => name === label);
  return field ? compareAt(reading, at, field).filter(({ value }) => isBeginning(value)) : [];
}

const isBeginning = (condition: Condition) => condition.kind === 'compare' && condition.op.endsWith('With');

/** `cover more than 100,000 square kilometres`. */
function literalVerbAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.fieldAt(at, of), ({ field }, next) =>
    field.kind === 'literal' && field.scalar !== 'String' ? compareAt(reading, next, field) : [],
  );
}

/** `whose capital is Bern`, `whose population is over 10 million`, `whose neighbours speak German`. */
function whoseAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.eat(at, 'whose', 'where the', 'where', 'in which the'), (_, next) =>
    then(reading.fieldAt(next, of), ({ field }, after) => saidOf(reading, after, field)),
  );
}

function saidOf(reading: Reading, at: number, field: Field): Found<Condition>[] {
  const verb = reading.eat(at, 'is not', 'are not', 'do not include', 'is', 'are', 'was', 'include', 'includes');
  const after = verb[0]?.at ?? at;
  const condition =
    field.kind === 'literal'
      ? compareAt(reading, reading.past(after), field)
      : [
          ...(verb.length > 0 ? linkedTo(reading, after, field.name, field.target) : []),
          ...map(
            verbPhraseAt(reading, at, field.target),
            (inner): Condition => ({ kind: 'link', field: field.name, of: inner }),
          ),
        ];
  return verb[0]?.value.includes('not') && field.kind === 'literal'
    ? map(condition, notOf)
    : verb[0]?.value.includes('not')
      ? map(
          condition.filter(({ value }) => value.kind === 'link'),
          notOf,
        )
      : condition;
}

/** `where German is spoken`, `in which the euro is used`. */
function whereAt(reading: Reading, at: number, of: string): Found<Condition>[] {
  return then(reading.eat(at, 'where', 'in which', 'that'), (_, next) =>
    linksOf(reading, of).flatMap(({ name, target }) =>
      then(linkedTo(reading, next, name, target), (condition, after) =>
        then(reading.eat(after, 'is not', 'are not', 'is', 'are'), (verb, end) =>
          reading
            .fieldAt(reading.past(end), of)
            .filter(({ value }) => value.field.name === name)
            .map((each) => ({ ...each, value: verb.endsWith('not') ? notOf(condition) : condition })),
        ),
      ),
    ),
  );
}
