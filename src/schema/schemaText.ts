import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';

/**
 * What of the schema somebody who writes queries must know: the root fields and the types that they lead to, with
 * descriptions, which name IRIs.
 * @param classes names of the vocabulary's classes
 */
export function schemaText(schema: GraphQLSchema, classes: readonly string[]): string {
  const shown = new Set([...classes, 'Entity', 'Statement', 'StatementObject', 'StatementSource']);
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    ({ type }) => isListType(getNullableType(type)) && shown.has(getNamedType(type).name),
  );
  const types = [...shown].flatMap((name) => {
    const type = schema.getType(name);
    if (!isObjectType(type)) return [];
    const fields = Object.values(type.getFields()).filter(
      (each) => !each.name.endsWith('Connection') && !each.name.endsWith('Aggregate'),
    );
    return [`type ${name} {\n${fields.map(fieldText).join('\n')}\n}`];
  });
  return [`type Query {\n${roots.map(fieldText).join('\n')}\n}`, ...types].join('\n\n');
}

function fieldText({ name, args, type, description }: GraphQLField<unknown, unknown>): string {
  const given = args.map((each) => `${each.name}: ${each.type}${defaultOf(each)}`).join(', ');
  const about = description ? ` # ${description.replace(/\s+/g, ' ')}` : '';
  return `  ${name}${given === '' ? '' : `(${given})`}: ${type}${about}`;
}

function defaultOf({ defaultValue }: GraphQLArgument): string {
  return defaultValue === undefined ? '' : ` = ${JSON.stringify(defaultValue)}`;
}
