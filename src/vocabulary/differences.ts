import type { ClassDefinition, Field, InverseField, LinkField, LiteralField, Vocabulary } from './vocabulary.ts';

/** Which entities or statements of the graph a change hides, or leaves to be refused when they are next touched. */
export type Doubt =
  | { of: 'entities'; class: string }
  | { of: 'statements'; class: string; predicate: string }
  /** Values that the field doesn't take. */
  | { of: 'values'; class: string; predicate: string; field: Taken }
  /** What stands beside the one value that is shown. */
  | { of: 'further values'; class: string; predicate: string }
  /** What a functional predicate has beyond one object for a subject and graph. */
  | { of: 'further objects'; class: string; predicate: string };

/** What a field takes: values of a scalar, or entities of a class (IRI). */
export type Taken = { scalar: LiteralField['scalar'] } | { target: string };

/** One thing that is otherwise in the new vocabulary. */
export interface Difference {
  /** `Class` or `Class.field`, as the vocabulary calls it that still has it. */
  what: string;
  /** In words, for people. */
  change: string;
  doubts: Doubt[];
  /** What would keep what the change hides. */
  mend?: string;
}

type Stated = LiteralField | LinkField;

/**
 * What is otherwise in a new vocabulary. Class by class, in the order of the new one, what is removed at the end.
 * @param before what was served until now; absent where nothing is known of it: then each field may hold what it
 *   doesn't take
 * @param everything whether fields that haven't changed are in doubt too
 */
export function differencesBetween(
  before: Vocabulary | undefined,
  after: Vocabulary,
  everything = before === undefined,
): Difference[] {
  const found: Difference[] = [];
  const kept = new Set<ClassDefinition>();
  for (const now of after.classes) {
    const old = sameClass(now, before);
    if (old) kept.add(old);
    if (before) found.push(...classDifferences(old, now));
    found.push(...fieldDifferences({ old, before, now, after, everything }));
  }
  const gone = (before?.classes ?? []).filter((each) => !kept.has(each));
  return [...found, ...gone.map((each) => removedClass(each, before, after))];
}

/** The class of the same IRI, or else of the same name. */
function sameClass(now: ClassDefinition, before: Vocabulary | undefined): ClassDefinition | undefined {
  const classes = before?.classes ?? [];
  return classes.find(({ iri }) => iri === now.iri) ?? classes.find(({ name }) => name === now.name);
}

function classDifferences(old: ClassDefinition | undefined, now: ClassDefinition): Difference[] {
  if (old === undefined) return [{ what: now.name, change: 'is new', doubts: [] }];
  if (old.iri !== now.iri) {
    return [
      {
        what: now.name,
        change: `has another IRI, <${now.iri}> for <${old.iri}>`,
        doubts: [{ of: 'entities', class: old.iri }],
        mend: `@class(iri: "${old.iri}")`,
      },
    ];
  }
  const renamed = old.name === now.name ? [] : [{ what: now.name, change: `was called ${old.name}`, doubts: [] }];
  return [...renamed, ...keyDifferences(old, now)];
}

/** The ids of entities that are put by their key are made of it. */
function keyDifferences({ key: was }: ClassDefinition, { name, key }: ClassDefinition): Difference[] {
  const said = (of: string[] | undefined) => of && `(${[...of].sort().join(', ')})`;
  if (said(was) === said(key)) return [];
  const change = !was
    ? `has a key, ${said(key)}, and had none: what is put by it is another entity than what has an id of its own`
    : !key
      ? `has no key, and had ${said(was)}: entities can't be put by it any more`
      : `has another key, ${said(key)} for ${said(was)}: what is put by it gets another id, and is another entity`;
  return [{ what: name, change, doubts: [], ...(was && { mend: `@class(key: ${JSON.stringify(was)})` }) }];
}

function removedClass(old: ClassDefinition, before: Vocabulary | undefined, after: Vocabulary): Difference {
  const known = new Set(before?.classes.map(({ iri }) => iri));
  const names = (each: ClassDefinition) => each.fields.map(({ name }) => name);
  const alike = after.classes.find(
    (each) =>
      !known.has(each.iri) &&
      names(old).filter((name) => names(each).includes(name)).length * 2 >= Math.max(1, names(old).length),
  );
  const mend = alike && `if ${alike.name} is what it is called now: type ${alike.name} @class(was: "${old.iri}")`;
  return {
    what: old.name,
    change: 'is removed',
    doubts: [{ of: 'entities', class: old.iri }],
    ...(mend !== undefined && { mend }),
  };
}

interface Sides {
  old: ClassDefinition | undefined;
  before: Vocabulary | undefined;
  now: ClassDefinition;
  after: Vocabulary;
  everything: boolean;
}

const isStated = (field: Field): field is Stated => field.kind !== 'inverse';

function fieldDifferences(sides: Sides): Difference[] {
  const { old, now } = sides;
  const earlier = old?.fields.filter(isStated) ?? [];
  const current = now.fields.filter(isStated);
  const gone = earlier.filter((field) => !current.some(({ predicate }) => predicate === field.predicate));
  const added = current.filter((field) => !earlier.some(({ predicate }) => predicate === field.predicate));
  const changed = current.flatMap((field) => {
    const was = earlier.find(({ predicate }) => predicate === field.predicate);
    return was ? changedField(sides, was, field) : newField(sides, field, gone);
  });
  const classIri = old?.iri ?? now.iri;
  return [
    ...changed,
    ...gone.map((field) => removedField(now.name, classIri, field, added)),
    ...inverseDifferences(old?.fields ?? [], now),
  ];
}

function newField({ before, now, after, everything }: Sides, field: Stated, gone: Stated[]): Difference[] {
  const what = `${now.name}.${field.name}`;
  const doubt: Doubt = {
    of: 'values',
    class: now.iri,
    predicate: field.predicate,
    field: takenBy(field, after),
  };
  // The same name with another predicate is told where the old one goes.
  if (gone.some(({ name }) => name === field.name)) return [];
  // It hides nothing that was shown before.
  const doubts = everything ? [doubt] : [];
  return [{ what, change: before ? 'is new' : 'is not known from before', doubts }];
}

function removedField(className: string, classIri: string, field: Stated, added: Stated[]): Difference {
  const doubts: Doubt[] = [{ of: 'statements', class: classIri, predicate: field.predicate }];
  const moved = added.find(({ name }) => name === field.name);
  if (moved) {
    return {
      what: `${className}.${field.name}`,
      change: `has another predicate, <${moved.predicate}> for <${field.predicate}>`,
      doubts,
      mend: `@predicate(iri: "${field.predicate}")`,
    };
  }
  const alike = added.filter((each) => each.kind === field.kind && shape(each) === shape(field));
  const mends = alike.map(({ name }) => `${name}: … @predicate(was: "${field.predicate}")`);
  return {
    what: `${className}.${field.name}`,
    change: 'is removed',
    doubts,
    ...(mends.length > 0 && { mend: `if it is called otherwise now: ${mends.join(' or ')}` }),
  };
}

function changedField(sides: Sides, was: Stated, field: Stated): Difference[] {
  const { before, now, after, everything } = sides;
  const what = `${now.name}.${field.name}`;
  const place = { class: now.iri, predicate: field.predicate };
  const values: Doubt = { of: 'values', ...place, field: takenBy(field, after) };
  const found: Difference[] = [];
  if (was.name !== field.name) found.push({ what, change: `was called ${was.name}`, doubts: [] });
  if (takes(was, before) !== takes(field, after)) {
    const change = `takes ${nameOf(field)} and no longer ${nameOf(was)}`;
    const isWider = widens(was, field) && !everything;
    found.push({ what, change, doubts: isWider ? [] : [values], mend: keepOf(was) });
  } else if (everything) found.push({ what, change: 'is as it was', doubts: [values] });
  if (was.list && !field.list) {
    const further: Doubt = { of: 'further values', ...place };
    const mend = `${field.name}: [${nameOf(field)}!]`;
    found.push({ what, change: 'has one value and no longer a list', doubts: [further], mend });
  }
  if (!was.list && field.list) {
    found.push({ what, change: 'has a list and no longer one value', doubts: [] });
  }
  if (!was.functional && field.functional) {
    const further: Doubt = { of: 'further objects', ...place };
    const change = 'is functional: an update to what has several objects is rejected';
    found.push({ what, change, doubts: [further] });
  }
  return found;
}

/** Inverses state nothing: one that goes hides nothing, but queries that name it fail. */
function inverseDifferences(earlier: Field[], now: ClassDefinition): Difference[] {
  const inverses = (fields: Field[]) => fields.filter((each): each is InverseField => each.kind === 'inverse');
  const names = new Set(now.fields.map(({ name }) => name));
  return inverses(earlier)
    .filter(({ name }) => !names.has(name))
    .map(({ name, of, target }) => ({
      what: `${now.name}.${name}`,
      change: `is removed: ${target}.${of} is read from its own end only`,
      doubts: [],
    }));
}

const nameOf = (field: Stated) => (field.kind === 'literal' ? field.scalar : field.target);

const shape = (field: Stated) => `${nameOf(field)} ${field.list}`;

function takenBy(field: Stated, vocabulary: Vocabulary): Taken {
  if (field.kind === 'literal') return { scalar: field.scalar };
  const target = vocabulary.classes.find(({ name }) => name === field.target);
  return { target: target?.iri ?? field.target };
}

const takes = (field: Stated, vocabulary: Vocabulary | undefined) =>
  vocabulary === undefined ? undefined : JSON.stringify(takenBy(field, vocabulary));

/** Whether the new type takes everything that the old one took. */
function widens(was: Stated, field: Stated): boolean {
  if (was.kind !== 'literal' || field.kind !== 'literal') return false;
  const isText = (scalar: LiteralField['scalar']) => scalar === 'String' || scalar === 'ID';
  return (was.scalar === 'Int' && field.scalar === 'Float') || (isText(was.scalar) && isText(field.scalar));
}

const keepOf = (was: Stated) => `${was.name}: ${was.list ? `[${nameOf(was)}!]` : nameOf(was)}`;
