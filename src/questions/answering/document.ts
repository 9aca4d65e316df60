import {
  type ArgumentNode,
  type FieldNode,
  Kind,
  OperationTypeNode,
  parseType,
  print,
  type VariableDefinitionNode,
} from 'graphql';

/** A field of a query, whose arguments are variables. */
export interface Selected {
  name: string;
  /** Names of variables by those of arguments. */
  given?: Record<string, string>;
  fields?: Selected[];
}

/** A variable with its type, as GraphQL writes it, and its value. */
export interface Variable {
  name: string;
  type: string;
  value: unknown;
}

/** A query as `knowledge/query` takes it. */
export interface PrintedQuery {
  query: string;
  variables: Record<string, unknown>;
}

/** Prints a query of fields. Every value is in the variables, and none in the text. */
export function printed(fields: Selected[], variables: Variable[]): PrintedQuery {
  const definitions = variables.map(
    ({ name, type }): VariableDefinitionNode => ({
      kind: Kind.VARIABLE_DEFINITION,
      variable: { kind: Kind.VARIABLE, name: nameOf(name) },
      type: parseType(type),
    }),
  );
  const query = print({
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: OperationTypeNode.QUERY,
        variableDefinitions: definitions,
        selectionSet: { kind: Kind.SELECTION_SET, selections: fields.map(fieldOf) },
      },
    ],
  });
  return { query, variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])) };
}

function fieldOf({ name, given = {}, fields }: Selected): FieldNode {
  const args = Object.entries(given).map(
    ([argument, variable]): ArgumentNode => ({
      kind: Kind.ARGUMENT,
      name: nameOf(argument),
      value: { kind: Kind.VARIABLE, name: nameOf(variable) },
    }),
  );
  return {
    kind: Kind.FIELD,
    name: nameOf(name),
    arguments: args,
    ...(fields && { selectionSet: { kind: Kind.SELECTION_SET, selections: fields.map(fieldOf) } }),
  };
}

const nameOf = (value: string) => ({ kind: Kind.NAME as const, value });
