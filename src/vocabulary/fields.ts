import { type FieldDefinitionNode, Kind, type TypeNode } from 'graphql';
import type { Faults } from './faults.ts';
import {
  aliasesOf,
  argumentsOf,
  directiveOf,
  iriOf,
  isAbsoluteIri,
  language,
  refuseSpecifiedDirectives,
  wasFault,
} from './language.ts';
import { reservedFieldName } from './reserved.ts';
import { type Field, type Scalar, scalars } from './vocabulary.ts';

/** What a field's meaning depends on. */
export interface Surroundings {
  base: string;
  /** Every type that the file defines, also the wrong ones, which are reported where they stand. */
  types: ReadonlySet<string>;
  faults: Faults;
}

/** Reads one field; undefined if it is `id`, or if it is wrong, which is noted. */
export function readField(node: FieldDefinitionNode, around: Surroundings): Field | undefined {
  const { faults } = around;
  const name = node.name.value;
  const type = shapeOf(node.type);
  refuseSpecifiedDirectives(node, faults);
  if (node.arguments?.length) faults.at(node.arguments[0], `Field "${name}" may not have arguments.`);
  if (name === 'id') {
    if (type.name !== 'ID' || type.lists > 0 || node.directives?.length) {
      faults.at(node, 'Field "id" is the entity\'s own id: declare it as "id: ID!" or leave it out.');
    }
    return undefined;
  }
  const reserved = reservedFieldName(name);
  if (reserved) faults.at(node.name, reserved);
  if (type.lists > 1) faults.at(node.type, `Field "${name}" may not be a list of lists.`);
  if (directiveOf('inverse', node)) return readInverse(node, type, around);
  if (!isScalar(type.name) && !around.types.has(type.name)) {
    // One that isn't known at all is noted by validateSDL.
    if (language.getType(type.name)) faults.at(node.type, `Type "${type.name}" is not a class and not a scalar.`);
    return undefined;
  }
  return readPredicate(node, type, around);
}

function readInverse(node: FieldDefinitionNode, type: Shape, around: Surroundings): Field | undefined {
  const { faults } = around;
  const name = node.name.value;
  const predicate = directiveOf('predicate', node);
  if (predicate) faults.at(predicate, `Field "${name}" is an inverse: its predicate is the link's.`);
  const inverse = argumentsOf('inverse', node, faults);
  if (isScalar(type.name) || type.lists === 0) {
    faults.at(node.type, `Field "${name}" is an inverse: its type must be a list of a class.`);
    return undefined;
  }
  return inverse && { kind: 'inverse', name, of: inverse.of, target: type.name, ...descriptionOf(node) };
}

function readPredicate(node: FieldDefinitionNode, type: Shape, around: Surroundings): Field | undefined {
  const { faults } = around;
  const name = node.name.value;
  const directive = directiveOf('predicate', node);
  const given = argumentsOf('predicate', node, faults);
  // Present, but with wrong arguments, which are noted.
  if (directive && !given) return undefined;
  const predicate = iriOf(given, name, around.base);
  const wrong = wasFault(given, name);
  if (wrong) faults.at(directive, wrong);
  if (!isAbsoluteIri(predicate) && given?.iri != null) faults.at(directive, `"${predicate}" is not an absolute IRI.`);
  const list = type.lists > 0;
  const common = {
    name,
    predicate,
    list,
    ...(given?.was != null && { was: predicate }),
    ...descriptionOf(node),
    ...aliasesOf(given, name, (fault) => faults.at(directive, fault)),
  };
  const certainty = given?.certainty ?? 'LATEST';
  if (isScalar(type.name)) {
    const [indexed, functional] = [given?.indexed ?? false, given?.functional ?? false];
    if (indexed && list) faults.at(directive, `Field "${name}" is a list, which cannot be indexed.`);
    if (functional && list) faults.at(directive, `Field "${name}" is a list, which cannot be functional.`);
    return { kind: 'literal', ...common, scalar: type.name, indexed, functional, certainty };
  }
  if (given?.indexed) faults.at(directive, `Field "${name}" is a link, which cannot be indexed.`);
  if (!list && given?.functional === false) {
    faults.at(
      directive,
      `Field "${name}" has one value, so it is functional: make it a list or drop "functional: false".`,
    );
  }
  const functional = given?.functional ?? !list;
  return { kind: 'link', ...common, target: type.name, functional, certainty };
}

interface Shape {
  name: string;
  lists: number;
}

/** A type without its `!`, which only document: a statement may always be missing. */
function shapeOf(type: TypeNode): Shape {
  if (type.kind === Kind.NAMED_TYPE) return { name: type.name.value, lists: 0 };
  const inner = shapeOf(type.type);
  return type.kind === Kind.LIST_TYPE ? { ...inner, lists: inner.lists + 1 } : inner;
}

function isScalar(name: string): name is Scalar {
  return (scalars as readonly string[]).includes(name);
}

/** The description of a node as a property, or none. */
export function descriptionOf(node: { description?: { value: string } | undefined }): {
  description?: string;
} {
  return node.description ? { description: node.description.value } : {};
}
