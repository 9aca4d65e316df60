import type { ClassDefinition, Field } from './vocabulary.ts';

/** Fields that every class gains. `id` may be declared all the same. */
const givenFields = ['id', 'type', 'statements'];

/**
 * Names that @neo4j/graphql takes for a field and an operator, or for an operator: a filter on such a field
 * would fail, or be ignored.
 */
const operator =
  /^(AND|OR|NOT)$|(Connection|Aggregate|__ofLanguage|_(IN|INCLUDES|MATCHES|CONTAINS|STARTS_WITH|ENDS_WITH|EQ|LT|LTE|GT|GTE|DISTANCE|ALL|NONE|SINGLE|SOME))$/;

/**
 * Names that @neo4j/graphql takes for its own in filters, connections and aggregations, on whatever level they stand.
 */
const swallowed = new Set(['node', 'edge', 'cursor', 'count']);

/** Types of the generated schema that do not come from a class. */
const fixedTypes = new Set([
  ...['Query', 'Mutation', 'Subscription', 'Node', 'PageInfo', 'SortDirection', 'Count'],
  ...['Entity', 'Statement', 'StatementObject', 'StatementSource', 'StatementProperties', 'Value', 'JSON'],
  ...['StatementVersion', 'StatementUpdate', 'StatementWhere', 'StatementSort'],
  ...['StatementPropertiesWhere', 'StatementPropertiesSort', 'StatementPropertiesAggregationWhereInput'],
  ...['ConnectionAggregationCountFilterInput', 'CaseInsensitiveStringScalarFilters', 'Point', 'CartesianPoint'],
  ...['RegisteredAgent', 'RegisteredAgentEndpoint', 'RegisteredAgentSkill'],
  ...relatedTypes('Entity'),
]);

const scalarTypes =
  /^(String|ID|Int|Float|Boolean|DateTime|Date|BigInt|Time|LocalTime|LocalDateTime|Duration|JSON|Value)(AggregateSelection|GroupAggregate(Sort)?|(Scalar|List)(Aggregation)?Filters)?$/;

/** Why a class may not have this name; undefined if it may. */
export function reservedClassName(name: string): string | undefined {
  if (name.startsWith('__')) return `Name "${name}" begins with "__", which GraphQL reserves.`;
  if (name.endsWith('Connection')) return `Class name "${name}" ends with "Connection", which pagination reserves.`;
  if (fixedTypes.has(name) || scalarTypes.test(name) || name in Object.prototype) {
    return `Class name "${name}" is reserved: the generated schema has a type of this name.`;
  }
  return undefined;
}

/** Why a field may not have this name; undefined if it may. */
export function reservedFieldName(name: string): string | undefined {
  if (name.startsWith('__')) return `Name "${name}" begins with "__", which GraphQL reserves.`;
  if (givenFields.includes(name)) return `Field name "${name}" is reserved: every class has this field already.`;
  if (operator.test(name) || swallowed.has(name) || name in Object.prototype) {
    return `Field name "${name}" is reserved for queries: choose another and give the predicate as @predicate(iri: …).`;
  }
  return undefined;
}

/** The types that @neo4j/graphql and Concord derive from a class, without its links. */
function relatedTypes(name: string): string[] {
  const ofLibrary = ['Where', 'Sort', 'Edge', 'Aggregate', 'AggregateNode', 'RelationshipFilters'];
  const ofGroups = ['', 'Keys', 'Aggregate', 'Sort', 'KeysSort', 'AggregateSort'].map((each) => `GroupBy${each}`);
  return [...ofLibrary, ...ofGroups, 'Matching'].map((suffix) => name + suffix);
}

/** The names of the types that @neo4j/graphql 7 derives from a class and from its links. */
export function derivedTypes(definition: ClassDefinition): { type: string; from: ClassDefinition | Field }[] {
  const { name } = definition;
  const ofClass = relatedTypes(name).map((type) => ({ type, from: definition }));
  const ofLinks = definition.fields.flatMap((field) => {
    if (field.kind === 'literal') return [];
    const suffix = field.name.charAt(0).toUpperCase() + field.name.slice(1);
    const connection = `${name}${suffix}Connection`;
    const types = [
      connection,
      ...['Where', 'Sort', 'Filters', 'AggregateInput'].map((each) => connection + each),
      `${name}${suffix}Relationship`,
      `${name}${suffix}NodeAggregationWhereInput`,
      ...['', 'Node', 'Edge'].map((each) => `${name}${field.target}${suffix}${each}AggregateSelection`),
    ];
    return types.map((type) => ({ type, from: field }));
  });
  return [...ofClass, ...ofLinks];
}
