import { getOrInsert } from '../../../base/getOrInsert.ts';
import { plain, type Tree, trees } from '../grammar/tree.ts';
import { functionOf, isAggregate } from '../text/functions.ts';
import { cypher, list, type Part, type Piece, Variable } from '../text/piece.ts';

/**
 * What the aggregating functions of one projection take. The lowest, highest and average of a property all take the
 * same, which must be of its type, and is long to work out where it must qualify: what is taken more than once is worked
 * out once, in a `WITH` of its own before the projection.
 */
export class Aggregated {
  private readonly times = new Map<string, number>();
  private readonly shared = new Map<string, { variable: Variable; value: Part }>();

  /** @param items the expressions of the projection */
  constructor(items: readonly Tree[]) {
    for (const each of items) this.count(each);
  }

  private count(of: Tree): void {
    const [argument] = trees(of, 'functionArgument');
    if (argument && isAggregate(functionOf(of))) {
      const key = plain(argument);
      this.times.set(key, (this.times.get(key) ?? 0) + 1);
    }
    // What a sub-query aggregates is its own.
    if (of.rule !== 'queryWithLocalDefinitions') for (const each of trees(of)) this.count(each);
  }

  /** What stands for the argument in the projection. */
  take(argument: Tree, value: Part): Part {
    const key = plain(argument);
    if ((this.times.get(key) ?? 0) < 2) return value;
    return getOrInsert(this.shared, key, () => ({ variable: new Variable(), value })).variable;
  }

  /** The clause that works out what is shared, if anything is. */
  before(): Piece {
    if (this.shared.size === 0) return cypher``;
    const items = [...this.shared.values()].map(({ variable, value }) => cypher`${value} AS ${variable}`);
    return cypher`WITH *, ${list(items)}\n`;
  }
}

/** Whether an expression aggregates, outside of its sub-queries. */
export function aggregates(of: Tree): boolean {
  if (of.rule === 'countStar' || isAggregate(functionOf(of))) return true;
  return of.rule !== 'queryWithLocalDefinitions' && trees(of).some(aggregates);
}
