import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isObjectType,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts';

/** Of which classes a query reads entities, by IRI; undefined where it may be any. */
export type ClassesRead = ReadonlySet<string> | undefined;

/**
 * Finds what classes the entities have of which a query reads anything: those that it selects or counts, and where its
 * conditions or its order name links, all that these lead to. What isn't of a class reads any, and so does who asks for
 * the class of what a statement points at: that may get one of any.
 * @param variables of the query; what they hold is a condition too
 */
export function classesReader(
  schema: GraphQLSchema,
  { classes }: Vocabulary,
): (document: DocumentNode, variables?: Readonly<Record<string, unknown>>) => ClassesRead {
  const byName = new Map(classes.map((each) => [each.name, each]));
  const links = new Set(
    classes.flatMap(({ fields }) =>
      fields.flatMap(({ kind, name }) => (kind === 'literal' ? [] : [name, `${name}Connection`, countOf(name)])),
    ),
  );

  /** The class whose entities, or whose connection, a field of the root gives. */
  function classOf(typeName: string): string | undefined {
    if (byName.has(typeName)) return typeName;
    const edges = fieldType(typeName, 'edges');
    const node = edges && fieldType(edges, 'node');
    return node !== undefined && byName.has(node) ? node : undefined;
  }

  function fieldType(typeName: string, field: string): string | undefined {
    const type = schema.getType(typeName);
    const found = isObjectType(type) ? type.getFields()[field] : undefined;
    return found && getNamedType(found.type).name;
  }

  /** The class of the entities that a field of a class counts. */
  function counted(className: string | undefined, field: string): string | undefined {
    const fields = byName.get(className ?? '')?.fields ?? [];
    return fields.flatMap((each) => (each.kind !== 'literal' && countOf(each.name) === field ? each.target : []))[0];
  }

  function withLinked(names: ReadonlySet<string>): ReadonlySet<string> {
    const reached = new Set(names);
    // What is added while a set is iterated is iterated too.
    for (const name of reached) {
      for (const field of byName.get(name)?.fields ?? []) if (field.kind !== 'literal') reached.add(field.target);
    }
    return reached;
  }

  return (document, variables = {}) => {
    const definitions = getOperationAST(document)?.variableDefinitions ?? [];
    const { coerced } = getVariableValues(schema, definitions, variables);
    // What doesn't fit the schema fails when it is run.
    if (coerced === undefined) return undefined;
    const names = new Set<string>();
    let isAny = false;
    let isLinked = false;
    const types = new TypeInfo(schema);
    visit(
      document,
      visitWithTypeInfo(types, {
        Field({ name: { value: name }, arguments: given = [] }) {
          const type = getNamedType(types.getType())?.name;
          if (type === undefined || name.startsWith('__')) return;
          const parent = types.getParentType();
          const found = classOf(type) ?? counted(parent?.name, name);
          if (found !== undefined) names.add(found);
          else if (parent === schema.getQueryType()) isAny = true;
          if (parent?.name === 'StatementObject' && name === 'type') isAny = true;
          isLinked ||= given.some(({ value }) => namesAny(valueFromASTUntyped(value, coerced), links));
        },
      }),
    );
    if (isAny) return undefined;
    return new Set([...(isLinked ? withLinked(names) : names)].map((name) => byName.get(name)?.iri ?? ''));
  };
}

/** The field that counts a list of links. */
const countOf = (link: string) => `${link}Count`;

/** Whether an object, or one within it, has a member of one of these names. */
function namesAny(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((each) => namesAny(each, names));
  return Object.entries(value).some(([name, member]) => names.has(name) || namesAny(member, names));
}
