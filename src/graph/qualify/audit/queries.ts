import { after, has, type Tree, tree, trees } from '../grammar/tree.ts';
import { certainOf } from './conditions.ts';
import { Expressions } from './expressions.ts';
import { conjuncts, form, leaves, readOf, sole } from './forms.ts';
import { type Binding, type Env, either, elementOf, extended, isData, isNode, type Kind, unsure } from './kinds.ts';
import { refuse } from './unconfined.ts';

/** Reads a query, all of it. */
export class Queries extends Expressions {
  query(of: Tree, env: Env, isAnswer = false): Map<string, Kind> {
    const union = sole(sole(sole(of)));
    const columns = new Map<string, Kind>();
    for (const each of trees(union)) {
      let here = env;
      trees(each).forEach((clause, index, { length }) => {
        const only = sole(clause);
        if (only.rule !== 'returnClause') here = this.clause(only, here);
        else if (index < length - 1) refuse('RETURN before the end');
        else {
          for (const [name, kind] of this.projection(only, here, union).columns)
            columns.set(name, either(columns.get(name) ?? kind, kind));
        }
      });
    }
    if (isAnswer && ![...columns.values()].every(isData)) refuse('an answer of more than data');
    return columns;
  }

  private clause(of: Tree, env: Env): Env {
    switch (of.rule) {
      case 'matchClause':
        return this.matched(of, env);
      case 'withClause': {
        const { columns, beside, isAll } = this.projection(of, env);
        this.truths(conjuncts(after(tree(of, 'whereClause') ?? of, 'WHERE')), beside);
        if (isAll) return extended(env, columns);
        const outer = unsure(env.outer);
        return extended({ here: outer, outer }, columns);
      }
      case 'unwindClause': {
        const kind = elementOf(this.kind(sole(of), env));
        return extended(env, [[this.declared(tree(of, 'variable')), kind]]);
      }
      case 'subqueryClause': {
        const [scope, inner] = trees(of);
        if (scope?.rule !== 'subqueryScope' || has(scope, 'TIMES') || !inner) return refuse('CALL without imports');
        const imports = trees(scope).map((each): [string, Binding] => [form(each), this.binding(each, env)]);
        const here = new Map(imports);
        return extended(env, this.query(inner, { here, outer: here }));
      }
      default:
        return refuse(`the clause ${of.rule}`);
    }
  }

  private matched(of: Tree, env: Env): Env {
    const where = tree(of, 'whereClause');
    const found = this.matching(trees(sole(of)), where, env);
    if (has(of, 'OPTIONAL')) return found;
    const met = conjuncts(where && after(where, 'WHERE')).map(form);
    return { ...found, met: new Set([...(env.met ?? []), ...met]) };
  }

  /** Whether rows may be sorted by this: all nodes have one tenant, and a value may be known to be right in each row. */
  private isOrder(of: Tree, { here, met }: Env): boolean {
    const read = readOf(of);
    if (!read || !isNode(here.get(read.variable)?.kind)) return false;
    return read.key === 'tenant' || (this.isGuarded(read.key) && met?.has(certainOf(read)) === true);
  }

  private projection(of: Tree, env: Env, union?: Tree) {
    const body = sole(of);
    const items = sole(body);
    const isAll = has(items, 'TIMES');
    if (has(body, 'ALL') || (isAll && (union || has(body, 'DISTINCT')))) refuse('a projection of all');
    const columns = new Map<string, Kind>();
    for (const item of trees(items)) {
      const [value = item, alias] = trees(item);
      const kind = this.kind(value, env);
      const isSame = value.rule === 'reference' && (!alias || form(alias) === form(value));
      if (!alias && !isSame && !union) refuse('a column without a name');
      const name = isSame ? form(value) : alias ? this.declared(alias, union ?? alias) : `column ${columns.size}`;
      columns.set(name, either(columns.get(name) ?? kind, kind));
    }
    // Where rows are made one, only the columns are seen.
    const isStrict = has(body, 'DISTINCT') || aggregates(items);
    const beside = extended(isStrict ? { here: unsure(env.here), outer: env.outer } : env, columns);
    for (const item of trees(tree(body, 'orderBy') ?? sole(of), 'orderItem')) {
      if (!this.isOrder(sole(item), beside)) this.kind(sole(item), beside);
    }
    for (const each of [...trees(body, 'skip'), ...trees(body, 'limit')])
      this.kind(sole(each), { here: new Map(), outer: new Map() });
    return { columns, beside, isAll };
  }
}

const aggregating = /^(avg|collect|count|max|min|percentile_?cont|percentile_?disc|st_?dev(p|_pop|_samp)?|sum)$/i;

/** Whether it aggregates, outside of its sub-queries. */
function aggregates(of: Tree): boolean {
  if (of.rule === 'countStar') return true;
  if (of.rule === 'queryWithLocalDefinitions') return false;
  const name = of.rule === 'functionInvocation' ? tree(of, 'functionName') : undefined;
  return (name !== undefined && aggregating.test(leaves(name))) || trees(of).some(aggregates);
}
