import { type DocumentNode, GraphQLError, Kind, type ObjectTypeDefinitionNode, parse, Source } from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import { checkConsistency, type Slots } from './consistency.ts';
import { Faults } from './faults.ts';
import { descriptionOf, readField, type Surroundings } from './fields.ts';
import { keyFaults } from './key.ts';
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
import { reservedClassName } from './reserved.ts';
import type { ClassDefinition, Field, Vocabulary } from './vocabulary.ts';

/**
 * Reads a vocabulary from GraphQL SDL (DESIGN, "Vocabulary").
 * @param file name of the file, for messages
 * @throws VocabularyError with every fault, one a line: `file:line:column: reason`
 */
export function parseVocabulary(sdl: string, file: string): Vocabulary {
  const source = new Source(sdl, file);
  const faults = new Faults(source);
  const document = parseSource(source, faults);
  for (const error of validateSDL(document, language)) faults.from(error);
  refuseUnsupported(document, faults);
  const base = readBase(document, faults);
  const types = document.definitions.flatMap((each) => ('name' in each && each.name ? [each.name.value] : []));
  const places = new Map<ClassDefinition | Field, ObjectTypeDefinitionNode['name']>();
  const classes: ClassDefinition[] = [];
  for (const node of document.definitions) {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    classes.push(readClass(node, { base, types: new Set(types), faults }, places));
  }
  checkConsistency(classes, places satisfies Slots, faults);
  faults.throwIfAny();
  return { base, classes };
}

function parseSource(source: Source, faults: Faults): DocumentNode {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    faults.from(error);
    faults.throwIfAny();
    throw error;
  }
}

/** What GraphQL can say and a vocabulary cannot, yet. */
const unsupported: Partial<Record<Kind, string>> = {
  [Kind.ENUM_TYPE_DEFINITION]: 'Enums are not supported yet: use a String.',
  [Kind.UNION_TYPE_DEFINITION]: 'Unions are not supported yet.',
  [Kind.INTERFACE_TYPE_DEFINITION]: 'Interfaces are not supported yet.',
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: 'Input types are not supported: updates are patches.',
  [Kind.SCALAR_TYPE_DEFINITION]: 'Scalars of your own are not supported yet.',
  [Kind.DIRECTIVE_DEFINITION]: 'Directive definitions are not supported.',
};

function refuseUnsupported(document: DocumentNode, faults: Faults): void {
  for (const node of document.definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION) continue;
    if (node.kind === Kind.SCHEMA_EXTENSION || node.kind === Kind.SCHEMA_DEFINITION) {
      const root = node.operationTypes?.[0];
      if (root) faults.at(root, 'Root types are generated: write only "extend schema @vocabulary(base: …)".');
      continue;
    }
    faults.at(node, unsupported[node.kind] ?? 'Only "extend schema @vocabulary" and types may stand in a vocabulary.');
  }
}

function readBase(document: DocumentNode, faults: Faults): string {
  const schemas = document.definitions.flatMap((each) =>
    each.kind === Kind.SCHEMA_EXTENSION || each.kind === Kind.SCHEMA_DEFINITION ? [each] : [],
  );
  const schema = schemas.find((each) => directiveOf('vocabulary', each));
  for (const each of schemas) refuseSpecifiedDirectives(each, faults);
  if (!schema) faults.at(undefined, 'The vocabulary has no base: add extend schema @vocabulary(base: "https://…/").');
  const base = schema && argumentsOf('vocabulary', schema, faults)?.base;
  if (!schema || base === undefined) return '';
  const directive = directiveOf('vocabulary', schema);
  if (!isAbsoluteIri(base)) faults.at(directive, `The base "${base}" is not an absolute IRI.`);
  else if (!/[/#:]$/.test(base)) faults.at(directive, `The base "${base}" must end with "/", "#" or ":".`);
  return base;
}

function readClass(
  node: ObjectTypeDefinitionNode,
  around: Surroundings,
  places: Map<ClassDefinition | Field, ObjectTypeDefinitionNode['name']>,
): ClassDefinition {
  const { base, faults } = around;
  const name = node.name.value;
  const reserved = reservedClassName(name);
  if (reserved) faults.at(node.name, reserved);
  if (!directiveOf('class', node)) faults.at(node.name, `Type "${name}" is not a class: add @class.`);
  if (node.interfaces?.[0]) faults.at(node.interfaces[0], 'Interfaces are not supported yet.');
  if (!node.fields?.length) faults.at(node.name, `Class "${name}" has no fields: declare at least "id: ID!".`);
  refuseSpecifiedDirectives(node, faults);
  const said = argumentsOf('class', node, faults);
  const iri = iriOf(said, name, base);
  const wrong = wasFault(said, name);
  if (wrong) faults.at(directiveOf('class', node), wrong);
  if (base && !isAbsoluteIri(iri)) faults.at(directiveOf('class', node), `"${iri}" is not an absolute IRI.`);
  const definition: ClassDefinition = {
    name,
    iri,
    fields: [],
    ...(said?.was != null && { was: iri }),
    ...descriptionOf(node),
    ...aliasesOf(said, name, (fault) => faults.at(directiveOf('class', node), fault)),
  };
  places.set(definition, node.name);
  for (const each of node.fields ?? []) {
    const field = readField(each, around);
    if (!field) continue;
    definition.fields.push(field);
    places.set(field, each.name);
  }
  if (said?.key != null) {
    definition.key = said.key;
    for (const fault of keyFaults(definition, said.key)) faults.at(directiveOf('class', node), fault);
  }
  return definition;
}
