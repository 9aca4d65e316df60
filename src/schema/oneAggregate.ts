import {
  type FieldNode,
  GraphQLError,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';

/** Refuses a connection's `aggregate` under several names: @neo4j/graphql would work out one of them. */
export const oneAggregate: ValidationRule = (context) => {
  function aggregates({ selections }: SelectionSetNode, entered: Set<string>): FieldNode[] {
    return selections.flatMap((each) => {
      if (each.kind === Kind.FIELD) return each.name.value === 'aggregate' ? [each] : [];
      if (each.kind === Kind.INLINE_FRAGMENT) return aggregates(each.selectionSet, entered);
      const name = each.name.value;
      const fragment = entered.has(name) ? undefined : context.getFragment(name);
      return fragment ? aggregates(fragment.selectionSet, entered.add(name)) : [];
    });
  }
  return {
    Field({ selectionSet }) {
      const type = context.getType();
      const named = type && getNamedType(type);
      if (!selectionSet || !isObjectType(named) || !('pageInfo' in named.getFields())) return;
      const found = aggregates(selectionSet, new Set());
      const names = new Set(found.map(({ alias, name }) => (alias ?? name).value));
      if (names.size < 2) return;
      const message = `Ask for one 'aggregate' of a connection, not for ${[...names].join(' and ')}; its fields may have several names`;
      context.reportError(new GraphQLError(message, { nodes: found }));
    },
  };
};
