import {
  type ConstValueNode,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { classChangesOf, entityField } from '../knowledge/subscribe/classChanges.ts';

/** A subscription to the changes of a class, in two parts: what it selects of the change, and of the entity. */
export interface EntityPlan {
  /** The name of the subscription's field in its results. */
  key: string;
  /** The subscription, with a name in the place of each selection of an entity. */
  change: DocumentNode;
  /** The names of these selections in a result; none where it selects nothing of the entity. */
  entities: string[];
  /**
   * The query of the entity by its id, which it has as the variable `idVariable`: a list for each of `entities`, or one
   * where it doesn't meet the condition.
   */
  query: string;
  /** The variables of the subscription that the query has too. */
  variables: string[];
  /**
   * Whether it asks for a condition, so that only what meets it, or has met it, is told; where a variable holds the whole
   * of it, its name, and whether it has a default that is a condition. That is given to the query as `whereVariable`,
   * which has the same default.
   */
  condition: boolean | { variable: string; isDefaulted: boolean };
  idVariable: string;
  whereVariable: string;
}

/** What is selected where nothing of the entity is. */
const presence = 'concordPresent';

const name = (value: string) => ({ kind: Kind.NAME, value }) as const;

/**
 * The parts of a subscription that is valid; undefined where it isn't one to the changes of a class. The selection of
 * the entity goes into a query of the class's list as it stands, with the fragments and variables that it uses.
 */
export function entityPlan(schema: GraphQLSchema, document: DocumentNode): EntityPlan | undefined {
  const operation = getOperationAST(document);
  const field = operation?.selectionSet.selections.find((node): node is FieldNode => node.kind === Kind.FIELD);
  const definition = field && schema.getSubscriptionType()?.getFields()[field.name.value];
  const made = definition && classChangesOf(definition);
  if (!operation || !field || !made) return undefined;
  const selected = new Map<string, SelectionNode[]>();
  const info = new TypeInfo(schema);
  const change = visit(
    document,
    visitWithTypeInfo(info, {
      Field(node) {
        const parent = info.getParentType()?.name;
        if (node.name.value !== entityField || parent !== typeOfChange(definition.type)) return undefined;
        const key = node.alias?.value ?? entityField;
        selected.set(key, [...(selected.get(key) ?? []), ...(node.selectionSet?.selections ?? [])]);
        // A leaf under the same name, which keeps the place and the directives of the selection.
        return { ...node, alias: name(key), name: name('changeId'), arguments: [], selectionSet: undefined };
      },
    }),
  );
  const where = field.arguments?.find((argument) => argument.name.value === 'where')?.value;
  const own = operation.variableDefinitions ?? [];
  const [idVariable, whereVariable] = [freeName('concordId', own), freeName('concordWhere', own)];
  const byDefault = where?.kind === Kind.VARIABLE ? defaultOf(where.name.value, own) : undefined;
  const condition =
    where?.kind === Kind.VARIABLE
      ? { variable: where.name.value, isDefaulted: byDefault !== undefined }
      : where !== undefined && where.kind !== Kind.NULL;
  const entities = [...selected.keys()];
  const byKey =
    entities.length > 0 ? selected : new Map([[presence, [{ kind: Kind.FIELD, name: name('id') } as const]]]);
  const roots = [...byKey].map(
    ([key, selections]): FieldNode => ({
      kind: Kind.FIELD,
      alias: name(key),
      name: name(made.root),
      arguments: [
        { kind: Kind.ARGUMENT, name: name('where'), value: conditionOn(condition && where, idVariable, whereVariable) },
      ],
      selectionSet: { kind: Kind.SELECTION_SET, selections },
    }),
  );
  return {
    key: field.alias?.value ?? field.name.value,
    change,
    entities,
    ...queryOf(document, operation, roots, [
      defined(idVariable, 'ID'),
      ...(typeof condition === 'object' ? [defined(whereVariable, made.where, byDefault ?? anything)] : []),
    ]),
    condition,
    idVariable,
    whereVariable,
  };
}

function typeOfChange(type: unknown): string {
  return String(type).replace(/!$/, '');
}

/** By the id, and by the condition that the subscription gives. */
function conditionOn(where: ValueNode | false | undefined, idVariable: string, whereVariable: string): ValueNode {
  const object = (key: string, value: ValueNode): ValueNode => ({
    kind: Kind.OBJECT,
    fields: [{ kind: Kind.OBJECT_FIELD, name: name(key), value }],
  });
  const byId = object('id', object('eq', { kind: Kind.VARIABLE, name: name(idVariable) }));
  if (!where) return byId;
  // A variable may be null, which an element of the list must not.
  const given: ValueNode = where.kind === Kind.VARIABLE ? { ...where, name: name(whereVariable) } : where;
  return object('AND', { kind: Kind.LIST, values: [byId, given] });
}

function queryOf(
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
  selections: FieldNode[],
  added: VariableDefinitionNode[],
): Pick<EntityPlan, 'query' | 'variables'> {
  const fragments = new Map(
    document.definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const [used, variables] = [new Set<FragmentDefinitionNode>(), new Set<string>()];
  const collect = (node: FieldNode | FragmentDefinitionNode): void => {
    visit(node, {
      Variable: (variable) => void variables.add(variable.name.value),
      FragmentSpread(spread) {
        const fragment = fragments.get(spread.name.value);
        if (!fragment || used.has(fragment)) return;
        used.add(fragment);
        collect(fragment);
      },
    });
  };
  for (const each of selections) collect(each);
  const own = variableDefinitions.filter(({ variable }) => variables.has(variable.name.value));
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: 'query' as OperationDefinitionNode['operation'],
    variableDefinitions: [...own, ...added],
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  return {
    query: print({ kind: Kind.DOCUMENT, definitions: [operation, ...used] }),
    variables: own.map(({ variable }) => variable.name.value),
  };
}

const anything: ConstValueNode = { kind: Kind.OBJECT, fields: [] };

function defaultOf(variable: string, definitions: readonly VariableDefinitionNode[]): ConstValueNode | undefined {
  const value = definitions.find((each) => each.variable.name.value === variable)?.defaultValue;
  return value?.kind === Kind.NULL ? undefined : value;
}

/** A name that none of the subscriber's variables has. */
function freeName(wanted: string, definitions: readonly VariableDefinitionNode[]): string {
  const isTaken = definitions.some(({ variable }) => variable.name.value === wanted);
  return isTaken ? freeName(`${wanted}_`, definitions) : wanted;
}

function defined(variable: string, type: string, defaultValue?: ConstValueNode): VariableDefinitionNode {
  return {
    kind: Kind.VARIABLE_DEFINITION,
    variable: { kind: Kind.VARIABLE, name: name(variable) },
    type: { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.NAMED_TYPE, name: name(type) } },
    ...(defaultValue && { defaultValue }),
  };
}

/** A result of the change with what was found of the entity, if anything. */
export function withEntity(
  result: ExecutionResult,
  { key, entities }: EntityPlan,
  found: Readonly<Record<string, unknown>> | undefined,
): ExecutionResult {
  const change = result.data?.[key] as Record<string, unknown> | undefined;
  if (!change) return result;
  const shown = Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, entities.includes(name) ? (found?.[name] ?? null) : value]),
  );
  return { ...result, data: { ...result.data, [key]: shown } };
}
