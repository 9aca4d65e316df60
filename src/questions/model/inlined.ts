import {
  astFromValue,
  type DocumentNode,
  type GraphQLSchema,
  isInputType,
  Kind,
  parse,
  print,
  typeFromAST,
  type ValueNode,
  visit,
} from 'graphql';

/** A query whose variables stand in its text, as it is shown to a model; undefined where one can't. */
export function inlined(schema: GraphQLSchema, query: string, variables: Record<string, unknown>): string | undefined {
  const document = parse(query, { noLocation: true });
  const values = valuesIn(schema, document, variables);
  try {
    return print(
      visit(document, {
        VariableDefinition: () => null,
        Variable: ({ name }) => values.get(name.value) ?? { kind: Kind.NULL },
      }),
    );
  } catch {
    return undefined;
  }
}

function valuesIn(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  variables: Record<string, unknown>,
): Map<string, ValueNode> {
  const declared = definitions.flatMap((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? (each.variableDefinitions ?? []) : [],
  );
  return new Map(
    declared.flatMap(({ variable: { name }, type: said }) => {
      const type = typeFromAST(schema, said as never);
      const value = isInputType(type) ? astFromValue(variables[name.value], type) : undefined;
      return value ? [[name.value, value] as const] : [];
    }),
  );
}
