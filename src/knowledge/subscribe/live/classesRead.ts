import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts';

/** Of which classes a query reads entities, by IRI; undefined where it may be any. */
export type ClassesRead = ReadonlySet<string> | undefined;

/** Objects within one another that a condition on an entity's own fields is: `where: {name: {eq: …}}`. */
const ownDepth = 2;

/**
 * Finds what classes the entities have of which a query reads anything: those that it selects, and where its conditions
 * reach beyond an entity's own fields, all that these lead to. What isn't of a class reads any.
 * @param variables of the query; what they hold is a condition too
 */
export function classesReader(
  schema: GraphQLSchema,
  { classes }: Vocabulary,
): (document: DocumentNode, variables?: Readonly<Record<string, unknown>>) => ClassesRead {
  const byName = new Map(classes.map((each) => [each.name, each]));

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

  function withLinked(names: ReadonlySet<string>): ReadonlySet<string> {
    const reached = new Set(names);
    // What is added while a set is iterated is iterated too.
    for (const name of reached) {
      for (const field of byName.get(name)?.fields ?? []) if (field.kind !== 'literal') reached.add(field.target);
    }
    return reached;
  }

  return (document, variables = {}) => {
    const names = new Set<string>();
    let isAny = false;
    let depth = Math.max(0, ...Object.values(variables).map(depthOf));
    let written = 0;
    const types = new TypeInfo(schema);
    visit(
      document,
      visitWithTypeInfo(types, {
        Field({ name }) {
          const type = getNamedType(types.getType())?.name;
          if (type === undefined || name.value.startsWith('__')) return;
          const found = classOf(type);
          if (found !== undefined) names.add(found);
          else if (types.getParentType() === schema.getQueryType()) isAny = true;
        },
        ObjectValue: {
          enter() {
            written += 1;
            depth = Math.max(depth, written);
          },
          leave() {
            written -= 1;
          },
        },
      }),
    );
    if (isAny) return undefined;
    const reached = depth > ownDepth ? withLinked(names) : names;
    return new Set([...reached].map((name) => byName.get(name)?.iri ?? ''));
  };
}

/** Objects within one another; a list is none. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Math.max(0, ...Object.values(value).map(depthOf));
  return Array.isArray(value) ? inner : inner + 1;
}
