import { any, type Kind } from '../text/kinds.ts';
import type { Part, Variable } from '../text/piece.ts';
import type { Typed } from './properties.ts';
import type { Rewrite } from './rewrite.ts';

interface Binding {
  variable: Variable;
  kind: Kind;
  /**
   * Whether it is certainly bound here, and not only perhaps: a pattern's node that is certainly bound needs no
   * conditions.
   */
  sure: boolean;
}

/** A variable that is named: what it is called, what it is in the text, and of what kind. */
export type Named = readonly [name: string, variable: Variable, kind: Kind];

/** The variables that stand at one place of the query. */
export class Scope {
  private readonly bindings: Map<string, Binding>;
  /** Expressions that a projection has already worked out, by their words: `ORDER BY` may use them. */
  readonly projected = new Map<string, Typed>();
  /** The edges that a row rests on, as expressions of lists: kept where the answer is to tell what it consulted. */
  edges: readonly Part[] = [];
  /** Properties of entities that are right as they are: the rows have met a condition that asks it. */
  proven: ReadonlyMap<Variable, ReadonlySet<string>> = new Map();

  constructor(
    /** The rewriting of the whole query. */
    readonly rewrite: Rewrite,
    bindings: Iterable<[string, Binding]> = [],
    /** What is seen from outside of a sub-query, wherever in it. */
    private readonly outer: ReadonlyMap<string, Binding> = new Map(),
  ) {
    this.bindings = new Map(bindings);
  }

  find(name: string): Binding | undefined {
    return this.bindings.get(name);
  }

  kindOf(name: string): Kind {
    return this.bindings.get(name)?.kind ?? any;
  }

  isSure(name: string): boolean {
    return this.bindings.get(name)?.sure ?? false;
  }

  /** Every variable that a `*` stands for. */
  all(): Named[] {
    return [...this.bindings]
      .filter(([name, binding]) => this.outer.get(name) !== binding)
      .map(([name, { variable, kind }]) => [name, variable, kind]);
  }

  /** Whether each row has this variable. */
  holds(variable: Variable): boolean {
    return [...this.bindings.values()].some((each) => each.variable === variable);
  }

  /** The same with more variables. */
  with(variables: Iterable<Named>): Scope {
    const scope = new Scope(this.rewrite, this.bindings, this.outer);
    scope.bind(variables);
    scope.edges = this.edges;
    scope.proven = this.proven;
    return scope;
  }

  /** The same where a row rests on these edges. */
  restingOn(edges: readonly Part[]): Scope {
    const scope = this.with([]);
    scope.edges = edges;
    return scope;
  }

  /** What stands after a `WITH`: these variables, and perhaps those from outside. */
  only(variables: Iterable<Named>): Scope {
    const perhaps = [...this.outer].map(([name, each]) => [name, { ...each, sure: false }] as const);
    const scope = new Scope(
      this.rewrite,
      perhaps.map(([name, binding]) => [name, binding]),
      new Map(perhaps),
    );
    scope.bind(variables);
    return scope;
  }

  /** These variables and, perhaps, those of before: what `ORDER BY` and `WHERE` see beside a projection. */
  beside(variables: Iterable<Named>): Scope {
    const before = [...this.bindings].map(([name, each]): [string, Binding] => [name, { ...each, sure: false }]);
    const scope = new Scope(this.rewrite, before, this.outer);
    scope.bind(variables);
    scope.proven = this.proven;
    return scope;
  }

  /** What a sub-query sees that sees everything. */
  inside(): Scope {
    return new Scope(this.rewrite, this.bindings, this.bindings);
  }

  /** What a sub-query sees that imports these variables. */
  importing(names: readonly string[]): Scope {
    const bindings = names.flatMap((name): [string, Binding][] => {
      const binding = this.bindings.get(name);
      return binding ? [[name, binding]] : [];
    });
    return new Scope(this.rewrite, bindings, new Map(bindings));
  }

  private bind(variables: Iterable<Named>): void {
    for (const [name, variable, kind] of variables) this.bindings.set(name, { variable, kind, sure: true });
  }
}
