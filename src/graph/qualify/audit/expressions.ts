import { after, has, type Tree, tree, trees } from '../grammar/tree.ts';
import { certainOf, dayPattern, isLiteral, wasType } from './conditions.ts';
import { comparisonOf, conjuncts, expected, form, leaves, presenceOf, type Read, readOf, sole } from './forms.ts';
import { clock, ofData, ofElements, ofValues, results } from './functions.ts';
import {
  type Env,
  either,
  elementOf,
  extended,
  isData,
  isList,
  isMap,
  isNode,
  type Kind,
  listOf,
  mapOf,
} from './kinds.ts';
import { Patterns } from './patterns.ts';
import { refuse } from './unconfined.ts';

/** What says of a past statement how it ended. */
const ofHistory = new Set('relationshipType retractedAt retractedBy retractedIn retractedRevision'.split(' '));
const ofLiterals = new Set(['value', 'datatype', 'language']);

/** Reads expressions: of what kind they are, and whether all that they read may be read. */
export abstract class Expressions extends Patterns {
  protected abstract query(of: Tree, env: Env): Map<string, Kind>;

  /** Conditions of which only whether they are all true matters. */
  protected truths(all: Tree[], env: Env): void {
    const stand = new Set(all.map(form));
    const certain = new Set<string>();
    const others = all.filter((each) => {
      const compared: (Read & { right?: Tree }) | undefined = comparisonOf(each) ?? presenceOf(each);
      const isOfNode = compared && isNode(env.here.get(compared.variable)?.kind);
      if (!isOfNode || !this.isGuarded(compared.key) || !stand.has(certainOf(compared))) return true;
      certain.add(certainOf(compared));
      if (compared.right) this.kind(compared.right, env);
      return false;
    });
    for (const each of others) {
      if (each.rule === 'caseExpression') this.cases(each, env, true);
      else if (!certain.has(form(each))) this.kind(each, env);
    }
  }

  protected cases(of: Tree, env: Env, isTruth: boolean): Kind {
    const results: Kind[] = [];
    const take = (each: Tree, here: Env) =>
      isTruth ? this.truths(conjuncts(each), here) : results.push(this.kind(each, here));
    const otherwise = after(of, 'ELSE');
    const alternatives = trees(of, 'caseAlternative');
    for (const [index, each] of alternatives.entries()) {
      const [when = each, then = each] = trees(each);
      const read = readOf(then);
      const isOfNode = read && this.isGuarded(read.key) && isNode(env.here.get(read.variable)?.kind);
      // What is hidden must look as what is not there.
      if (isOfNode && form(when) === certainOf(read) && index === alternatives.length - 1 && !otherwise) continue;
      const conditions = conjuncts(when);
      this.truths(conditions, env);
      take(then, this.narrowed(conditions, env));
    }
    if (otherwise) take(otherwise, env);
    return results.length === 0 ? 'data' : results.reduce(either);
  }

  /** The variables where these conditions hold. */
  protected narrowed(conditions: Tree[], env: Env): Env {
    const here = new Map(env.here);
    for (const each of conditions) {
      const [variable] = trees(each);
      const name = variable?.rule === 'reference' ? form(variable) : '';
      const known = env.here.get(name);
      if (known?.kind === 'node' && form(each) === expected(isLiteral, { e: name }))
        here.set(name, { ...known, kind: 'literal' });
    }
    return { here, outer: env.outer };
  }

  protected kind(of: Tree, env: Env): Kind {
    if (this.holding.has(form(of))) return 'data';
    const kinds = (): Kind[] => trees(of).map((each) => this.kind(each, env));
    if (ofData.has(of.rule)) return kinds() && 'data';
    switch (of.rule) {
      case 'expression7':
      case 'comparisonExpression6':
        return this.test(of, env);
      case 'expression6': {
        const all = kinds();
        if (all.every(isData) && !all.every(isList)) return 'data';
        return listOf(all.map((each) => (isList(each) ? each.list : each)).reduce(either));
      }
      case 'expression2': {
        const [base = of, ...postfixes] = trees(of);
        return postfixes.reduce((kind, each) => this.postfixed(kind, each, env), this.kind(base, env));
      }
      case 'literal':
        return this.literal(of, env);
      case 'parameter':
        return /^[gl][1-9]\d*$/.test(form(sole(of))) ? 'data' : refuse('a parameter');
      case 'reference':
        return this.binding(of, env).kind;
      case 'parenthesizedExpression':
        return this.kind(sole(of), env);
      case 'caseExpression':
        return this.cases(of, env, false);
      case 'extendedCaseExpression': {
        const [value = of, ...others] = trees(of);
        this.kind(value, env);
        const results = others.map((each) => {
          const when = trees(each, 'extendedWhen');
          for (const one of when) this.kind(one, env);
          return this.kind(after(each, 'THEN') ?? each, env);
        });
        return results.reduce(either);
      }
      case 'listLiteral':
        return listOf(kinds().reduce(either, 'null'));
      case 'mapProjection':
        return this.mapProjection(of, env);
      case 'listComprehension':
      case 'listItemsPredicate':
        return this.iteration(of, env);
      case 'reduceExpression':
        return this.reduction(of, env);
      case 'patternComprehension': {
        const inner = this.matching([of], of, env);
        return listOf(this.kind(after(of, 'BAR') ?? of, inner));
      }
      case 'existsExpression':
      case 'countExpression':
      case 'collectExpression':
        return this.subquery(of, env);
      case 'functionInvocation':
        return this.invocation(of, env);
      default:
        return refuse(`the expression ${of.rule}`);
    }
  }

  protected iteration(of: Tree, env: Env): Kind {
    const element = elementOf(this.kind(after(of, 'IN') ?? of, env));
    const inner = extended(env, [[this.declared(tree(of, 'variable')), element]]);
    const where = after(of, 'WHERE');
    const bar = after(of, 'BAR');
    if (element === 'relationship' && has(of, 'ALL'))
      this.allowAlong(form(tree(of, 'variable') ?? of), new Set(conjuncts(where).map(form)));
    if (of.rule === 'listComprehension') this.truths(conjuncts(where), inner);
    else if (where) this.kind(where, inner);
    return of.rule === 'listItemsPredicate' ? 'data' : listOf(bar ? this.kind(bar, inner) : element);
  }

  protected subquery(of: Tree, env: Env): Kind {
    const name = this.existence(of);
    if (name !== undefined && env.here.get(name)?.sure) return 'data';
    const inside: Env = { here: env.here, outer: env.here };
    const query = tree(of, 'queryWithLocalDefinitions');
    if (!query) this.matching(trees(sole(of)), tree(of, 'whereClause'), inside);
    const columns = query ? this.query(query, inside) : new Map();
    return of.rule === 'collectExpression' ? listOf([...columns.values()][0] ?? 'any') : 'data';
  }

  protected test(of: Tree, env: Env): Kind {
    const [operand, test = of] = of.rule === 'expression7' ? trees(of) : [];
    const labels = tree(test, 'labelExpression4');
    const kind = operand ? this.kind(operand, env) : 'data';
    if (labels && (!operand || has(test, 'IS'))) refuse('a label test of this form');
    if (labels && !isNode(kind) && this.asked.shape.asOf) refuse('a test of the present type');
    this.checkNames(labels, kind);
    for (const each of trees(test)) {
      const isDay = has(test, 'REGEQ') && dayPattern.test(form(each));
      if (each !== labels && each.rule !== 'type' && !isDay) this.kind(each, env);
    }
    return 'data';
  }

  protected postfixed(from: Kind, of: Tree, env: Env): Kind {
    const property = tree(of, 'property');
    if (property) return this.property(from, form(sole(property)));
    for (const each of trees(of)) this.kind(each, env);
    if (has(of, 'DOTDOT') && (isList(from) || isData(from))) return from;
    if (isMap(from)) return [...from.map.values()].reduce(either, 'null');
    return isList(from) || isData(from) ? elementOf(from) : refuse('a property whose name is not known');
  }

  protected property(from: Kind, key: string): Kind {
    if (isData(from)) return 'data';
    if (isMap(from)) return from.map.get(key) ?? 'null';
    if (key === 'tenant' || key.endsWith('__certainty')) refuse('what is not shown of a node');
    if (from === 'relationship') {
      return this.asked.shape.asOf && ofHistory.has(key) ? refuse('what was not known then') : 'data';
    }
    if (this.isUnlimited) return isNode(from) ? 'data' : 'any';
    const { fields, closedProperties } = this.asked;
    const isShown = key === 'id' || key === 'type' || (from === 'literal' && ofLiterals.has(key));
    const isRight = this.isProjectionRight && fields.has(key) && !closedProperties.has(key);
    return isNode(from) && (isShown || isRight) ? 'data' : refuse('a property as it is');
  }

  protected literal(of: Tree, env: Env): Kind {
    const map = tree(of, 'map');
    if (map) {
      const members = new Map<string, Kind>();
      trees(map, 'propertyKeyName').forEach((key, index) => {
        const kind = this.kind(trees(map)[index * 2 + 1] ?? map, env);
        members.set(form(key), either(members.get(form(key)) ?? kind, kind));
      });
      return mapOf(members);
    }
    if (has(of, 'NULL')) return 'null';
    return tree(of, 'numberLiteral') || has(of, 'TRUE') || has(of, 'FALSE') ? 'data' : refuse('a text');
  }

  protected mapProjection(of: Tree, env: Env): Kind {
    const [variable = of, ...elements] = trees(of);
    const from = this.binding(variable, env).kind;
    // What is named wins over what comes with all.
    const members = new Map<string, Kind>(elements.some((each) => has(each, 'TIMES')) && isMap(from) ? from.map : []);
    const named = new Set<string>();
    for (const each of elements) {
      if (has(each, 'TIMES') && !isData(from) && !isMap(from)) refuse('all properties at once');
      const [first, value] = trees(each);
      if (!first) continue;
      const key = first.rule === 'property' ? form(sole(first)) : form(first);
      const isProperty = first.rule === 'property';
      const kind = isProperty
        ? this.property(from, key)
        : value
          ? this.kind(value, env)
          : this.binding(first, env).kind;
      members.set(key, named.has(key) ? either(members.get(key) ?? kind, kind) : kind);
      named.add(key);
    }
    return mapOf(members);
  }

  protected reduction(of: Tree, env: Env): Kind {
    const [sum, start = of, each, list = of, step = of] = trees(of);
    const names = [this.declared(sum), this.declared(each)] as const;
    const element = elementOf(this.kind(list, env));
    let kind = this.kind(start, env);
    for (const isLast of [false, true]) {
      const result = this.kind(
        step,
        extended(env, [
          [names[0], kind],
          [names[1], element],
        ]),
      );
      const both = either(kind, result);
      if (isData(kind) ? isData(both) : isSame(kind, both)) return both;
      if (isLast) break;
      kind = both;
    }
    return refuse('a REDUCE of no kind that is known');
  }

  protected invocation(of: Tree, env: Env): Kind {
    const name = leaves(tree(of, 'functionName') ?? of).toLowerCase();
    const args = trees(of, 'functionArgument').map(sole);
    const { asOf } = this.asked.shape;
    const read = name === 'coalesce' ? readOf(args[0]) : undefined;
    if (
      read &&
      env.here.get(read.variable)?.kind === 'relationship' &&
      form(of) === expected(wasType, { e: read.variable })
    )
      return 'data';
    const kinds = args.map((each) => this.kind(each, env));
    const isPlain = ofValues.has(name) || clock.test(name);
    if (!isPlain && !ofElements.has(name)) refuse('a function');
    if (name === 'type' && asOf) refuse('the present type');
    const isOfMap = (name === 'keys' || name === 'properties') && kinds.every((kind) => isData(kind) || isMap(kind));
    if (isOfMap) return name === 'keys' ? 'data' : (kinds[0] ?? 'data');
    const mayHold = ofElements.has(name) || (this.isUnlimited && name !== 'keys' && name !== 'properties');
    if (!mayHold && !kinds.every(isData)) refuse('a function of a whole node');
    return results[name]?.(kinds[0] ?? 'data', kinds) ?? 'data';
  }
}

const isSame = (one: Kind, other: Kind): boolean =>
  one === other || (isList(one) && isList(other) && isSame(one.list, other.list));
