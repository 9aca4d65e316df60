import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getVariableValues,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { readCursor, readIndex } from '../../schema/cursors.ts';

/** An argument as a field of a document has it. */
export interface GivenArgument {
  definition: GraphQLArgument;
  value: ValueNode;
  /** The names of the fields that lead to it, its own last; a fragment's begin with the fragment. */
  path: string[];
  /** Whether the field is one of the query itself. */
  isRoot: boolean;
}

/** What @neo4j/graphql leaves to Neo4j to refuse, or fails on: these are looked at before anything runs. */
const checked = ['first', 'limit', 'offset', 'after', 'where', 'sort'];

/**
 * The arguments of a valid document whose values a type alone doesn't make right.
 * @param document may have several operations: those of all of them
 */
export function givenArguments(schema: GraphQLSchema, document: DocumentNode): GivenArgument[] {
  const info = new TypeInfo(schema);
  const path: string[] = [];
  const given: GivenArgument[] = [];
  const named = {
    enter: ({ name }: { name: { value: string } }) => void path.push(name.value),
    leave: () => void path.pop(),
  };
  visit(
    document,
    visitWithTypeInfo(info, {
      FragmentDefinition: named,
      Field: {
        enter(node) {
          path.push(node.alias?.value ?? node.name.value);
          const isRoot = info.getParentType() === schema.getQueryType();
          for (const { name, value } of node.arguments ?? []) {
            const definition = info.getFieldDef()?.args.find((each) => each.name === name.value);
            if (definition && checked.includes(definition.name))
              given.push({ definition, value, path: [...path], isRoot });
          }
        },
        leave: named.leave,
      },
    }),
  );
  return given;
}

/**
 * The values of an operation's variables.
 * @throws ConcordError -32010 `bad-argument` where one isn't of its type: of Int, where it is beyond 2^31
 */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { coerced, errors } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 });
  if (coerced) return coerced;
  const [error] = errors;
  const [node] = error?.nodes ?? [];
  const variable = node?.kind === Kind.VARIABLE_DEFINITION ? node.variable.name.value : undefined;
  throw badArgument(error?.message ?? 'The variables are not of their types', { variable });
}

/** @throws ConcordError -32010 `bad-argument`, with the argument's name and path */
export function checkArgument(
  { definition, value, path, isRoot }: GivenArgument,
  variables: Record<string, unknown>,
): void {
  const { name, type } = definition;
  const fault = faultOf(definition, valueFromAST(value, type, variables), isRoot);
  if (fault === undefined) return;
  throw badArgument(`The argument '${name}' of '${path.join('.')}' ${fault}`, { argument: name, path });
}

function faultOf({ name, type }: GraphQLArgument, value: unknown, isRoot: boolean): string | undefined {
  if (name === 'after') {
    if (typeof value !== 'string' || (isRoot ? readCursor : readIndex)(value) !== undefined) return undefined;
    return 'is no cursor that an answer has given';
  }
  if (typeof value === 'number') return value < 0 ? `is ${value}, below 0` : undefined;
  const at = nullIn(type, value, []);
  return at === undefined ? undefined : `has null at '${at}'; leave it out, or ask for what is absent by {eq: null}`;
}

/** Where null stands in the place of the conditions of a field or a node, on which @neo4j/graphql fails. */
function nullIn(of: GraphQLInputType, value: unknown, path: (string | number)[]): string | undefined {
  const type = getNamedType(of);
  if (!isInputObjectType(type) || value === undefined) return undefined;
  if (value === null) {
    const compares = type.name.endsWith('Filters') || (path.at(-1) === 'node' && type.name.endsWith('Where'));
    return compares ? path.join('.') : undefined;
  }
  if (Array.isArray(value)) return firstOf(value.entries(), ([at, each]) => nullIn(elementOf(of), each, [...path, at]));
  const fields = type.getFields();
  return firstOf(Object.entries(value), ([name, each]) => {
    const field = fields[name];
    return field && nullIn(field.type, each, [...path, name]);
  });
}

function elementOf(of: GraphQLInputType): GraphQLInputType {
  const type = getNullableType(of);
  return isListType(type) ? type.ofType : type;
}

function firstOf<T>(all: Iterable<T>, find: (each: T) => string | undefined): string | undefined {
  for (const each of all) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

function badArgument(message: string, where: object): ConcordError {
  return refuse('bad-argument', message, { ...where });
}
