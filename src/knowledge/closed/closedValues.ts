import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isInputObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type ClosedIris, closedError } from '../../graph/names/closed.ts';

/**
 * Refuses an operation whose arguments name a closed class or predicate by its IRI: `statements(predicate: …)`,
 * `history(predicate: …)`, `where: {type: …}` of entities, `predicate` of a link's own properties and of changes,
 * `predicate` and `class` of `statements(where: …)` at the root. What
 * an operation names by a field is refused where its Cypher is rewritten.
 * @throws ConcordError -32013
 */
export function refuseClosedValues(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown> | undefined,
  closed: ClosedIris,
): void {
  const operation = getOperationAST(document);
  // What doesn't fit the schema fails when it is executed.
  const { coerced } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables ?? {});
  if (coerced === undefined) return;
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      Field(node) {
        const field = info.getFieldDef();
        if (!field || !node.arguments?.length) return;
        const values = argumentsOf(() => getArgumentValues(field, node, coerced));
        for (const { name, type } of field.args) {
          // Only `statements`, `incomingStatements` and `history` have an argument of this name.
          if (name === 'predicate') refuse('predicate', values[name], closed);
          else checkInput(type, values[name], closed);
        }
      },
    }),
  );
}

function argumentsOf(read: () => Record<string, unknown>): Record<string, unknown> {
  try {
    return read();
  } catch {
    return {};
  }
}

/** The inputs whose `predicate` or `class` is the IRI of one, and not a field that a vocabulary calls so. */
const ofStatements = new Set(['StatementPropertiesWhere', 'StatementChangedWhere', 'StatementWhere']);

function whatIsNamed(by: string, of: string): What | undefined {
  if (by === 'type') return 'class';
  return ofStatements.has(of) && (by === 'predicate' || by === 'class') ? by : undefined;
}

function checkInput(type: GraphQLInputType, value: unknown, closed: ClosedIris): void {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || !isObject(value)) return;
  if (Array.isArray(value)) {
    for (const each of value) checkInput(named, each, closed);
    return;
  }
  for (const field of Object.values(named.getFields())) {
    const member = value[field.name];
    if (!isObject(member)) continue;
    const what = whatIsNamed(field.name, named.name);
    if (what === undefined) checkInput(field.type, member, closed);
    else refuseCondition(what, member, closed);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

type What = 'class' | 'predicate';

/** @param condition what is compared with the IRI */
function refuseCondition(what: What, condition: Record<string, unknown>, closed: ClosedIris): void {
  for (const each of [condition.eq, condition.in]) refuse(what, each, closed);
  const { caseInsensitive } = condition;
  if (!isObject(caseInsensitive)) return;
  const asked = new Set([caseInsensitive.eq, caseInsensitive.in].flat().map(lower));
  for (const iri of irisOf(what, closed).keys()) if (asked.has(lower(iri))) throw closedError(what, iri, closed);
}

const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : undefined);

/** @param value an IRI, a list of them, or nothing */
function refuse(what: What, value: unknown, closed: ClosedIris): void {
  const iris = irisOf(what, closed);
  for (const iri of [value].flat()) if (typeof iri === 'string' && iris.has(iri)) throw closedError(what, iri, closed);
}

const irisOf = (what: What, closed: ClosedIris) => (what === 'class' ? closed.classes : closed.predicates);
