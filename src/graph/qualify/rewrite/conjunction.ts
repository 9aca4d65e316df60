import { has, nameOf, plain, type Tree, tree, trees } from '../grammar/tree.ts';
import { projectedQualifies } from '../text/conditions.ts';
import { isPlainlyBest } from '../text/literals.ts';
import { all, cypher, holdsCollection, nothing, type Part, type Piece, property, Variable } from '../text/piece.ts';
import { tested } from './comparisons.ts';
import { expression } from './expressions.ts';
import { mayFail } from './failing.ts';
import { readProperty, readVariable, type Typed } from './properties.ts';
import { nameAt, required } from './rewrite.ts';
import type { Scope } from './scope.ts';

/** What the caller asks at one place. */
export class Own {
  /** Conditions that cannot fail. */
  readonly safe: Part[] = [];
  /** Those that can. */
  readonly risky: Part[] = [];
  /** Entities with a literal statement that the safe conditions ask to be certain enough. */
  readonly certain = new Set<Variable>();
  /** Their projected properties that the safe conditions ask for and that are certain enough. */
  readonly proven = new Map<Variable, Set<string>>();

  add(of: Tree, scope: Scope): void {
    for (const each of conjuncts(of)) {
      const fails = mayFail(each, scope, true);
      // No index serves what must wait.
      const compared = fails ? undefined : comparison(each, scope);
      const found = compared?.conditions.some(holdsCollection) ? undefined : compared;
      if (found) {
        this.certain.add(found.entity);
        this.proven.set(found.entity, new Set(this.proven.get(found.entity)).add(found.name));
      }
      (fails ? this.risky : this.safe).push(...(found?.conditions ?? [expression(each, scope).value]));
    }
  }

  /** The properties that a pattern gives: conditions like those behind `WHERE`. */
  addProperties(of: Tree, what: Typed, scope: Scope): void {
    const properties = tree(of, 'properties');
    if (properties === undefined) return;
    const map = required(tree(properties, 'map'), 'a parameter as the properties of a pattern', properties);
    const values = trees(map).filter((each) => each.rule !== 'propertyKeyName');
    trees(map, 'propertyKeyName').forEach((key, index) => {
      const value = values[index];
      if (value) this.addEqual(what, nameOf(key), value, scope);
    });
  }

  private addEqual(of: Typed, name: string, value: Tree, scope: Scope): void {
    const { rewrite } = scope;
    const { value: given } = expression(value, scope);
    const field = of.kind.is === 'node' ? rewrite.fields.get(name) : undefined;
    const isBest = field && !rewrite.isClosed(name) && isPlainlyBest(name, field, rewrite.shape);
    const fails = mayFail(value, scope, false);
    const conditions = fails ? this.risky : this.safe;
    if (isBest && !fails && of.value.is === 'variable') {
      conditions.push(
        cypher`${property(of.value, nameAt(name, value).name)} = ${given}`,
        projectedQualifies(of.value, name),
      );
      this.certain.add(of.value);
    } else conditions.push(cypher`${readProperty(rewrite, of, name, value).value} = ${given}`);
  }
}

/** A condition; one that binds variables is made anew for each place where it stands. */
export type Condition = Part | (() => Part);

const made = (condition: Condition): Part => (typeof condition === 'function' ? condition() : condition);

/** What must hold at one place, by whom it is asked. */
export interface Asked {
  own: Own;
  /** What makes that visible which the pattern has. */
  where: readonly Condition[];
  /** The same where a certain statement tells it, by entity. */
  existence: ReadonlyMap<Variable, Part>;
  /** What what can fail must wait for beyond that. */
  guards: readonly Condition[];
}

/**
 * The conditions of a place. What can fail is asked only of what is visible, whatever order Neo4j takes them in: else
 * whether a query fails would tell what is hidden.
 */
export function conditionsOf({ own, where, existence, guards }: Asked): Part[] {
  const conditions = [...own.safe, ...visibility(where, existence, own)];
  if (own.risky.length === 0) return conditions;
  const visible = [...where, ...existence.values(), ...guards].map(made);
  if (visible.length === 0) return [...conditions, ...own.risky];
  return [...conditions, cypher`CASE WHEN ${all(visible)} THEN ${all(own.risky)} ELSE false END`];
}

/**
 * The same where a `WITH` can stand behind the pattern: what it works out, it works out for rows that have met the
 * conditions before it. What can fail goes there, and so does what holds a sub-query, which Neo4j would else plan anew
 * for each way to go about the pattern.
 */
export function conditionsAround({ own, where, existence }: Asked): { before: Part[]; behind: Piece } {
  const later = [...own.safe.filter(holdsCollection), ...own.risky];
  const before = [...own.safe.filter((each) => !later.includes(each)), ...visibility(where, existence, own)];
  const column = new Variable();
  const behind = later.length > 0 ? cypher`\nWITH *, (${all(later)}) AS ${column} WHERE ${column}` : nothing;
  return { before, behind };
}

function visibility(where: readonly Condition[], existence: ReadonlyMap<Variable, Part>, own: Own): Part[] {
  // An entity with a literal statement that is certain enough has a statement that is.
  const implied = [...existence].filter(([entity]) => !own.certain.has(entity)).map(([, each]) => each);
  return [...where.map(made), ...implied];
}

/** ` WHERE …`, or nothing. */
export function whereOf(conditions: readonly Part[]): Piece {
  return conditions.length > 0 ? cypher` WHERE ${all(conditions)}` : nothing;
}

/** A condition that must be true, where all that is there may be seen. */
export function conjunction(of: Tree, scope: Scope): Piece {
  return all(conjuncts(of).flatMap((each) => comparison(each, scope)?.conditions ?? [expression(each, scope).value]));
}

/** The conditions that must all be true. */
function conjuncts(of: Tree): Tree[] {
  return of.rule === 'parenthesizedExpression' || of.rule === 'expression10' ? trees(of).flatMap(conjuncts) : [of];
}

/**
 * Where certainty alone is required, a comparison with a property asks the property itself first, so that its index
 * serves, and then whether its statement is certain enough.
 */
function comparison(of: Tree, scope: Scope): { entity: Variable; name: string; conditions: Part[] } | undefined {
  const { rewrite } = scope;
  if (of.rule !== 'expression8' && of.rule !== 'expression7') return undefined;
  if (of.parts.length !== (of.rule === 'expression8' ? 3 : 2)) return undefined;
  const [left, right] = trees(of);
  if (left === undefined || right === undefined || left.rule !== 'expression2') return undefined;
  const [base, postfix, ...more] = trees(left);
  const named = postfix && tree(postfix, 'property');
  const key = named && tree(named, 'propertyKeyName');
  if (base?.rule !== 'reference' || key === undefined || more.length > 0) return undefined;
  const name = nameOf(key);
  const field = rewrite.isClosed(name) ? undefined : rewrite.fields.get(name);
  if (!field || !isPlainlyBest(name, field, rewrite.shape) || scope.projected.size > 0) return undefined;
  const { value: entity, kind } = readVariable(base, scope);
  if (kind.is !== 'node' || entity.is !== 'variable') return undefined;
  // `IS NULL` and its like are true of what is absent, and a pattern that is none fails on what is there.
  if (
    of.rule === 'expression7' &&
    plain(right) !== 'IS NOT NULL' &&
    (has(right, 'REGEQ') ||
      has(right, 'IS') ||
      !trees(right).length ||
      tree(right, 'type') ||
      tree(right, 'labelExpression4'))
  )
    return undefined;
  const raw = property(entity, nameAt(name, key).name);
  return { entity, name, conditions: [tested(of, raw, scope), projectedQualifies(entity, name)] };
}
