import type { ASTNode } from 'graphql';
import type { Faults } from './faults.ts';
import { derivedTypes } from './reserved.ts';
import type { ClassDefinition, Field, LinkField, LiteralField } from './vocabulary.ts';

/** Where a class or a field stands in the file. */
export type Slots = ReadonlyMap<ClassDefinition | Field, ASTNode>;

/** Notes what is right class by class and wrong between them. */
export function checkConsistency(classes: ClassDefinition[], places: Slots, faults: Faults): void {
  checkClassIris(classes, places, faults);
  checkPredicates(classes, places, faults);
  checkInverses(classes, places, faults);
  checkDerivedTypes(classes, places, faults);
}

function checkClassIris(classes: ClassDefinition[], places: Slots, faults: Faults): void {
  const owners = new Map<string, ClassDefinition>();
  for (const each of classes) {
    const other = owners.get(each.iri);
    if (other && other.name !== each.name) {
      faults.at(places.get(each), `Classes "${other.name}" and "${each.name}" have the same IRI <${each.iri}>.`);
    }
    owners.set(each.iri, other ?? each);
  }
}

/** A predicate is one field everywhere, because its projection does not depend on the class. */
function checkPredicates(classes: ClassDefinition[], places: Slots, faults: Faults): void {
  const first = new Map<string, { owner: ClassDefinition; field: LiteralField | LinkField }>();
  for (const owner of classes) {
    for (const field of owner.fields) {
      if (field.kind === 'inverse') continue;
      const earlier = first.get(field.predicate);
      first.set(field.predicate, earlier ?? { owner, field });
      const difference = earlier && differenceBetween(earlier.field, field);
      if (difference) {
        const where = `"${earlier.owner.name}.${earlier.field.name}"`;
        faults.at(
          places.get(field),
          `Predicate <${field.predicate}> is already ${where} with another ${difference}: a predicate must be the same field in every class.`,
        );
      }
    }
  }
}

function differenceBetween(a: LiteralField | LinkField, b: LiteralField | LinkField): string | undefined {
  if (a.name !== b.name) return 'name';
  if (a.kind !== b.kind) return 'kind (literal or link)';
  if (a.kind === 'literal' && b.kind === 'literal') {
    if (a.scalar !== b.scalar) return 'scalar';
    if (a.list !== b.list) return 'list-ness';
    if (a.indexed !== b.indexed) return 'flag "indexed"';
  }
  if (a.functional !== b.functional) return 'flag "functional"';
  if (a.list !== b.list) return 'list-ness';
  return a.certainty === b.certainty ? undefined : 'certainty policy';
}

function checkInverses(classes: ClassDefinition[], places: Slots, faults: Faults): void {
  for (const owner of classes) {
    for (const field of owner.fields) {
      if (field.kind !== 'inverse') continue;
      const target = classes.find((each) => each.name === field.target);
      if (!target) continue;
      const link = target.fields.find((each) => each.name === field.of);
      const path = `"${target.name}.${field.of}"`;
      const inverses = owner.fields.filter((each) => each.kind === 'inverse');
      const first = inverses.find((each) => each.target === field.target && each.of === field.of);
      if (first !== field) {
        faults.at(places.get(field), `"${owner.name}.${first?.name}" is the inverse of ${path} already.`);
      }
      if (link?.kind !== 'link') {
        const reason = link ? 'which is not a link' : 'which does not exist';
        faults.at(places.get(field), `Field "${field.name}" is the inverse of ${path}, ${reason}.`);
      } else if (link.target !== owner.name) {
        const reason = `which points to "${link.target}" and not to "${owner.name}"`;
        faults.at(places.get(field), `Field "${field.name}" is the inverse of ${path}, ${reason}.`);
      }
    }
  }
}

/** Two classes or fields that derive the same type would silently share it. */
function checkDerivedTypes(classes: ClassDefinition[], places: Slots, faults: Faults): void {
  const origins = new Map(classes.map((each) => [each.name, each.name]));
  for (const definition of classes) {
    for (const { type, from } of derivedTypes(definition)) {
      const path = from === definition ? definition.name : `${definition.name}.${from.name}`;
      const other = origins.get(type);
      if (other === undefined) origins.set(type, path);
      else if (other !== path) {
        const reason = `"${other}" and "${path}" collide: both give the generated schema a type "${type}".`;
        faults.at(places.get(from), reason);
        break;
      }
    }
  }
}
