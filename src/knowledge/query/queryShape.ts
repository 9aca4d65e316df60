import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { literalSize } from './inputSize.ts';

/** How long a list below the root is taken to be whose length the query doesn't limit. */
const assumed = 10;

/** The arguments that limit a list. */
const limiting = ['limit', 'first'];

/** A list's length: known, or that of a variable, which may be absent. */
type Length = number | { variable: string; otherwise: number };

/**
 * An estimate: what is known of it, and what depends on variables. A fragment's is shared, so that it is a graph and
 * not a tree.
 */
export interface Cost {
  fixed: number;
  terms: { times: Length; cost: Cost }[];
}

/** What a valid selection asks for, fragments expanded. Numbers that grow beyond all bounds end in Infinity. */
export interface QueryShape {
  /** Levels of fields. What is asked of the schema itself counts one: `validate` limits it. */
  depth: number;
  /** Fields, fragments, and objects in arguments. */
  size: number;
  /** Levels of objects and lists in arguments. */
  inputDepth: number;
  cost: Cost;
}

/**
 * Measures a valid operation in time linear in its text: a fragment is measured once, however often it is spread.
 * @param defaultLimit how long a list at the root is whose length the query doesn't limit
 * @throws RangeError where it is nested deeper than the stack is
 */
export function shapeOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  defaultLimit: number,
): QueryShape {
  const measured = new Map<string, QueryShape>();

  function fragmentShape(name: string): QueryShape {
    const known = measured.get(name);
    if (known) return known;
    const fragment = fragments.get(name);
    const shape = fragment
      ? selectionShape(fragment.selectionSet, compositeType(fragment.typeCondition.name.value))
      : empty();
    measured.set(name, shape);
    return shape;
  }

  function compositeType(name: string): GraphQLCompositeType | undefined {
    const type = schema.getType(name);
    return isCompositeType(type) ? type : undefined;
  }

  function selectionShape({ selections }: SelectionSetNode, parent: GraphQLCompositeType | undefined): QueryShape {
    const shape = empty();
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        include(shape, fieldShape(selection, parent));
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) include(shape, fragmentShape(selection.name.value));
      else {
        const narrowed = selection.typeCondition && compositeType(selection.typeCondition.name.value);
        include(shape, selectionShape(selection.selectionSet, narrowed ?? parent));
      }
      // Fragments of nothing but fragments would else have no size, however many they are.
      shape.size += 1;
    }
    return shape;
  }

  function fieldShape(node: FieldNode, parent: GraphQLCompositeType | undefined): QueryShape {
    const field = definitionOf(node, parent);
    const given = (node.arguments ?? []).map(({ value }) => literalSize(value));
    const inner = field && getNamedType(field.type);
    const below = node.selectionSet
      ? selectionShape(node.selectionSet, isCompositeType(inner) ? inner : undefined)
      : empty();
    const cost: Cost = { fixed: 1, terms: [] };
    addTo(cost, lengthOf(node, field, parent), below.cost);
    return {
      depth: inner && isIntrospectionType(inner) ? 1 : 1 + below.depth,
      size: given.reduce((sum, { objects }) => sum + objects, 1 + below.size),
      inputDepth: Math.max(below.inputDepth, ...given.map(({ depth }) => depth)),
      cost,
    };
  }

  function definitionOf({ name }: FieldNode, parent: GraphQLCompositeType | undefined) {
    if (parent === undefined || isUnionType(parent)) return undefined;
    const own = parent.getFields()[name.value];
    if (own || parent !== schema.getQueryType()) return own;
    return [SchemaMetaFieldDef, TypeMetaFieldDef].find((each) => each.name === name.value);
  }

  function lengthOf(
    node: FieldNode,
    field: GraphQLField<unknown, unknown> | undefined,
    parent: GraphQLCompositeType | undefined,
  ): Length {
    if (!field || !node.selectionSet) return 1;
    const otherwise = parent === schema.getQueryType() ? defaultLimit : assumed;
    const limit = field.args.find(({ name }) => limiting.includes(name));
    // A connection stands for its edges, for the argument that limits them is its own.
    if (!limit && isObjectType(parent) && parent.name.endsWith('Connection')) return 1;
    if (!limit) return isListType(getNullableType(field.type)) ? otherwise : 1;
    const given = node.arguments?.find(({ name }) => name.value === limit.name)?.value;
    // To @neo4j/graphql 0 is no limit.
    if (given?.kind === Kind.INT) return Number(given.value) || otherwise;
    const absent = typeof limit.defaultValue === 'number' ? limit.defaultValue : otherwise;
    if (given?.kind !== Kind.VARIABLE) return absent;
    const variable = given.name.value;
    const defined = operation.variableDefinitions?.find((each) => each.variable.name.value === variable);
    const instead = defined?.defaultValue;
    return { variable, otherwise: instead?.kind === Kind.INT ? Number(instead.value) : absent };
  }

  const type = schema.getRootType(operation.operation) ?? undefined;
  return selectionShape(operation.selectionSet, type);
}

/** The estimate for given variables: how many values the answer has if every list is as long as it is taken to be. */
export function costOf(cost: Cost, variables: Readonly<Record<string, unknown>>): number {
  const known = new Map<Cost, number>();
  const value = (of: Cost): number => {
    const had = known.get(of);
    if (had !== undefined) return had;
    let sum = of.fixed;
    for (const { times, cost: each } of of.terms) {
      sum += atLeastOne(lengthIn(variables, times)) * value(each);
    }
    known.set(of, sum);
    return sum;
  };
  return value(cost);
}

function lengthIn(variables: Readonly<Record<string, unknown>>, length: Length): number {
  if (typeof length === 'number') return length;
  const given = variables[length.variable];
  return typeof given === 'number' && given !== 0 ? given : length.otherwise;
}

/** What stands below a list of no length is still there to be worked on. */
const atLeastOne = (length: number) => Math.max(1, length);

const empty = (): QueryShape => ({ depth: 0, size: 0, inputDepth: 0, cost: { fixed: 0, terms: [] } });

function include(shape: QueryShape, other: QueryShape): void {
  shape.depth = Math.max(shape.depth, other.depth);
  shape.size += other.size;
  shape.inputDepth = Math.max(shape.inputDepth, other.inputDepth);
  addTo(shape.cost, 1, other.cost);
}

/** What depends on no variable is known at once. */
function addTo(cost: Cost, times: Length, other: Cost): void {
  if (typeof times === 'number' && other.terms.length === 0) cost.fixed += atLeastOne(times) * other.fixed;
  else cost.terms.push({ times, cost: other });
}
