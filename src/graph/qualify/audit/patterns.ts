import { systemLabels } from '../../names/names.ts';
import { after, isRule, isTree, type Tree, tree, trees, type Word } from '../grammar/tree.ts';
import { Conditions, certainOf, isTenant, isThere } from './conditions.ts';
import {
  bare,
  comparisonOf,
  conjuncts,
  eachOf,
  expected,
  form,
  isOneOrMore,
  joinedBy,
  presenceOf,
  type Read,
  sole,
} from './forms.ts';
import { type Env, extended, isNode, type Kind, listOf } from './kinds.ts';
import { refuse } from './unconfined.ts';

/**
 * The elements of one pattern: what its conditions may be, what it binds, and what is left to read once all of it is
 * bound.
 */
interface Place {
  env: Env;
  conditions: Tree[];
  bound: Map<string, Kind>;
  later: ((env: Env) => void)[];
  isRepeated: boolean;
}

/**
 * Reads patterns: each node and relationship that they introduce carries its conditions, in the place where they count.
 */
export abstract class Patterns extends Conditions {
  protected abstract truths(all: Tree[], env: Env): void;

  /** Patterns, their conditions and what else stands with those. */
  protected matching(patterns: Tree[], where: Tree | undefined, env: Env): Env {
    const conditions = conjuncts(where && after(where, 'WHERE'));
    const place: Place = { env, conditions, bound: new Map(), later: [], isRepeated: false };
    for (const each of patterns) this.pattern(each, place);
    const inside = extended(env, place.bound);
    for (const read of place.later) read(inside);
    this.truths(conditions, inside);
    return inside;
  }

  protected pattern(of: Tree, place: Place): void {
    for (const each of trees(of)) {
      if (each.rule === 'variable') place.bound.set(this.declared(each), 'path');
      else if (each.rule === 'patternElement' || each.rule === 'pathPatternNonEmpty') this.elements(each, place);
      else if (each.rule === 'anonymousPattern' || each.rule === 'shortestPathPattern') this.pattern(each, place);
    }
  }

  protected elements({ parts }: Tree, place: Place): void {
    parts.forEach((part, index) => {
      const before = parts[index - 1];
      const next = parts[index + 1];
      if (!isTree(part)) return;
      if (part.rule === 'parenthesizedPath') this.path(part, place, [before, next]);
      else if (part.rule === 'relationshipPattern') this.relationship(part, place, isRule(next, 'quantifier'));
      else if (part.rule === 'nodePattern') {
        const isAfter = isOneOrMore(isRule(before, 'quantifier') ? parts[index - 2] : before, before);
        this.node(part, place, isAfter || isOneOrMore(next, parts[index + 2]));
      }
    });
  }

  protected path(of: Tree, place: Place, ends: (Tree | Word | undefined)[]): void {
    const inner = sole(of);
    const where = conjuncts(after(of, 'WHERE'));
    if (!tree(of, 'quantifier')) {
      this.pattern(inner, { ...place, conditions: [...place.conditions, ...where] });
      place.later.push((env) => this.truths(where, env));
      return;
    }
    // It may be no path at all, and its ends would be any node.
    if (!ends.every((each) => isRule(each, 'nodePattern'))) refuse('a repeated path between no nodes');
    const repeated: Place = {
      env: place.env,
      conditions: where,
      bound: new Map(),
      later: [],
      isRepeated: true,
    };
    this.pattern(inner, repeated);
    for (const [name, kind] of repeated.bound) place.bound.set(name, listOf(kind));
    place.later.push(() => {
      const env = extended(place.env, repeated.bound);
      for (const read of repeated.later) read(env);
      this.truths(where, env);
    });
  }

  protected node(of: Tree, place: Place, joins: boolean): void {
    const variable = tree(of, 'variable');
    const name = variable ? form(variable) : refuse('a node without a name');
    const labels = tree(of, 'labelExpression');
    this.checkNames(labels, 'node');
    const inline = conjuncts(after(of, 'WHERE'));
    place.later.push((env) => this.truths(inline, env));
    const known = place.env.here.get(name);
    const bound = place.bound.get(name) ?? (known?.sure && !place.isRepeated ? known.kind : undefined);
    if (bound !== undefined && !isNode(bound)) refuse('a node that is none');
    if (bound !== undefined) return;
    if (known && (place.isRepeated || !isNode(known.kind))) refuse('a node that may be another');
    this.declared(variable, of, known !== undefined);

    const top = joinedBy('AMPERSAND', labels);
    const isEntity = top.includes('Entity');
    if (!isEntity && !top.includes('Literal') && !top.includes('«Entity | Literal»')) refuse('a node of any label');
    place.bound.set(name, top.length === 1 && top[0] === 'Literal' ? 'literal' : 'node');
    const conditions = [...place.conditions, ...inline];
    const stand = new Set(conditions.map(form));
    this.demand(expected(isTenant, { e: name }), stand, 'a node of any tenant');
    // A node that joins may be asked for it all the same, as the ends of a shortest path are.
    const exists = this.exists(name, top, conditions, stand);
    if (!joins && !exists) refuse('a node of which nothing may be known');
  }

  protected exists(name: string, labels: string[], conditions: Tree[], stand: Set<string>): boolean {
    const isEntity = labels.includes('Entity');
    if (this.isUnlimited) {
      const isClass = (label: string) => /^[\p{L}\p{N}_]+$/u.test(label) && !systemLabels.has(label);
      if (isEntity || labels.some(isClass)) return true;
    } else if (this.isCertaintyOnly && !this.asked.shape.closed && isEntity) {
      const highest = expected('coalesce(e.highest__certainty, 1.0) >= $ownCertainty', { e: name });
      this.holding.add(highest);
      if (stand.has(highest)) return true;
      const isProof = (each: Read | undefined) =>
        each?.variable === name && this.isGuarded(each.key) && stand.has(certainOf(each));
      if (conditions.some((each) => isProof(comparisonOf(each) ?? presenceOf(each)))) return true;
    }
    return conditions.some((each) => {
      const [one, other, ...more] = each.rule === 'expression' ? trees(each).map(bare) : [];
      const isEither =
        this.isUnlimited && one && form(one) === expected('(e:Entity)', { e: name }) && more.length === 0;
      return this.existence(isEither && other ? other : each) === name;
    });
  }

  protected relationship(of: Tree, place: Place, isQuantified: boolean): void {
    const variable = tree(of, 'variable') ?? refuse('a relationship without a name');
    const name = form(variable);
    const types = tree(of, 'labelExpression');
    this.checkNames(types, 'relationship');
    const isLong = tree(of, 'pathLength') !== undefined;
    const kind: Kind = isLong || isQuantified ? { list: 'relationship' } : 'relationship';
    const inline = conjuncts(after(of, 'WHERE'));
    const single: [string, Kind][] = isQuantified ? [[name, 'relationship']] : [];
    place.later.push((env) => this.truths(inline, extended(env, single)));
    const conditions = isQuantified ? inline : [...place.conditions, ...inline];
    const stand = new Set(conditions.map(form));
    const known = place.env.here.get(name);
    if (place.bound.has(name) || (known && (place.isRepeated || known.kind !== kind)))
      refuse('a relationship that may be another');
    if (known?.sure) {
      // Of what type it is now may not be told as of the past.
      const { asOf } = this.asked.shape;
      if (asOf && !this.isOfType(name, types, stand, true)) refuse('the present type');
      return;
    }
    this.declared(variable, of, known !== undefined);
    place.bound.set(name, kind);
    const each = isLong ? conditions.flatMap((condition) => eachOf(condition, name)) : [{ name, stand }];
    if (isLong) each.push({ name, stand: new Set() });
    const passed = isLong || isQuantified ? passedBy(of) : [];
    if (!each.some((one) => this.qualifies(one.name, types, one.stand, passed)))
      refuse('a relationship that need not qualify');
  }

  protected demand(condition: string, stand: Set<string>, otherwise: string): void {
    if (!stand.has(condition)) refuse(otherwise);
    this.holding.add(condition);
  }
}

/** What must be asked where a path goes on from an edge: its arrows say at which end. */
function passedBy(of: Tree): string[] {
  const arrows = ['leftArrow', 'rightArrow'].map((arrow) => tree(of, arrow) !== undefined);
  const isEither = arrows[0] === arrows[1];
  return [
    ...(isEither || arrows[0] ? isThere('startNode(e)') : []),
    ...(isEither || arrows[1] ? isThere('endNode(e)') : []),
  ];
}
