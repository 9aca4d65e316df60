import { isCertaintyProperty } from '../../names/names.ts';
import { nameOf as nameIn, type Tree } from '../grammar/tree.ts';
import { isCertaintyOnly } from '../text/conditions.ts';
import type { Kind } from '../text/kinds.ts';
import { data, isData, memberOf, nothing } from '../text/kinds.ts';
import { fetchedValue, ofLiterals, type ProjectedField, qualifiedValue } from '../text/literals.ts';
import { cypher, nameOf, operation, type Part, type Piece, property, Variable } from '../text/piece.ts';
import { soundly, type Test, testOfEdge, testOfField } from '../text/sound.ts';
import { nameAt, type Rewrite, refuse } from './rewrite.ts';
import type { Scope } from './scope.ts';

/** A piece of the rewritten query and what it is. */
export interface Typed {
  /** Whole in itself: it may stand wherever a value may. */
  value: Part;
  kind: Kind;
  /** Of a property as the graph has it, whether it is that of a variable: then it may be read twice. Else absent. */
  isRaw?: boolean;
  /** What it must be to be of its type; absent where it is so, or has none. */
  test?: Test | undefined;
  /** Whether the schema takes it as it is: its index has the order, or it is one of many that are only told. */
  isPlain?: boolean;
}

/** What says of a past statement how it ended: unknown at the time. */
const ofHistory = new Set('relationshipType retractedAt retractedBy retractedIn retractedRevision'.split(' '));

/** By this name the schema says a moment of a pattern's own (`statementAsOf`). */
const reserved = '__concordAsOf';

const none: Typed = { value: cypher`null`, kind: nothing };

/** @throws RefusedCypher where there is no such variable */
export function readVariable(of: Tree, scope: Scope): Typed {
  const binding = scope.find(nameIn(of));
  if (binding === undefined) throw refuse(`the unknown variable ${nameIn(of)}`, of);
  return { value: binding.variable, kind: binding.kind };
}

/** Reads a property of whatever it is. */
export function readProperty(rewrite: Rewrite, from: Typed, name: string, at: Tree): Typed {
  const { kind, value } = from;
  if (isData(kind) || kind.is === 'map')
    return { value: property(value, nameAt(name, at).name), kind: memberOf(kind, name) };
  if (name === 'tenant' || isCertaintyProperty(name)) throw refuse(`the property ${name}`, at);
  if (name === reserved) throw refuse(`the reserved name ${name}`, at);
  const raw = property(value, nameAt(name, at).name);
  const isRaw = value.is === 'variable';
  if (kind.is === 'relationship') return rewrite.shape.asOf && ofHistory.has(name) ? none : ofEdge(raw, name, isRaw);
  if (kind.is === 'node' && value.is === 'variable') show(rewrite, value, name);
  // A literal has these itself; of an entity they are left out below.
  if (!ofLiterals.has(name)) rewrite.refuseClosed('properties', name);
  const field = kind.is === 'node' ? rewrite.fields.get(name) : undefined;
  const tested = { test: testOfField(name, field), isPlain: field?.indexed === true };
  if (!rewrite.limited) return { value: raw, kind: kind.is === 'node' ? data : memberOf(kind, name), isRaw, ...tested };
  if (kind.is !== 'node') throw refuse(`the property ${name} of what may or may not be an entity`, at);
  const read = ofEntity(rewrite, value, name);
  // What is made of statements is of its type.
  const isProjected = read.isRaw !== undefined || (isCertaintyOnly(rewrite.shape) && !field?.list);
  return isProjected ? { ...read, ...tested } : read;
}

/** A certainty beyond 1 is of a number's type, and would be above every bound. */
function ofEdge(raw: Part, name: string, isRaw: boolean): Typed {
  const read = { value: raw, kind: data, isRaw, test: testOfEdge(name), isPlain: true };
  return name === 'certainty' ? sound(read) : read;
}

/** What is read, where it is of its type; else null. */
export function sound(of: Typed): Typed {
  const { value, kind, isRaw, test } = of;
  if (test === undefined) return of;
  if (isRaw) return { value: soundly(value, test), kind };
  const once = new Variable();
  return { value: cypher`head([${once} IN [${value}] WHERE ${test(once)}])`, kind };
}

function show(rewrite: Rewrite, entity: Variable, name: string): void {
  const names = rewrite.shown?.get(entity) ?? new Set();
  rewrite.shown?.set(entity, names.add(name));
}

/** A property of a node where more than the tenant limits what is read. */
function ofEntity(rewrite: Rewrite, node: Part, name: string): Typed {
  const field = rewrite.isClosed(name) ? undefined : rewrite.fields.get(name);
  if (name === 'id' || name === 'type' || (field && rewrite.readsProjection && !ofLiterals.has(name)))
    return { value: property(node, name), kind: data, isRaw: node.is === 'variable' };
  // A property that no field of the vocabulary projects is left over from another vocabulary.
  if (!field && !ofLiterals.has(name)) return none;
  return {
    value: bound(node, (entity) => {
      const value = field && (rewrite.readsProjection ? property(entity, name) : ofField(rewrite, entity, name, field));
      if (!ofLiterals.has(name)) return value ?? cypher`null`;
      const otherwise = value === undefined ? cypher`` : cypher`ELSE ${value} `;
      return operation`CASE WHEN (${entity}:${nameOf('Literal')}) THEN ${property(entity, name)} ${otherwise}END`;
    }),
    kind: data,
  };
}

function ofField(rewrite: Rewrite, entity: Variable, name: string, field: ProjectedField): Piece {
  const rows = rewrite.fetched.get(entity)?.get(field.relationshipType);
  if (rows) return fetchedValue(rows, field);
  return qualifiedValue(entity, name, field, rewrite.shape);
}

/** What is made of a value that it reads several times: it is worked out once. */
export function bound(value: Part, make: (of: Variable) => Piece): Piece {
  if (value.is === 'variable') return make(value);
  const once = new Variable();
  return cypher`head([${once} IN [${value}] | ${make(once)}])`;
}
