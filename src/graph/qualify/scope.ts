import { any, type Kind } from './kinds.ts';

interface Binding {
  kind: Kind;
  /** Whether it is certainly bound here, and not only perhaps: a pattern's node that is certainly bound needs no conditions. */
  sure: boolean;
}

/** The variables that stand at one place of the query. */
export class Scope {
  private readonly bindings: Map<string, Binding>;
  /** What is seen from outside of a sub-query, wherever in it. */
  private readonly outer: ReadonlyMap<string, Binding>;
  /** Expressions that a projection has already worked out, by their text: `ORDER BY` may use them. */
  readonly projected = new Map<string, { text: string; kind: Kind }>();
  /** The edges that a row rests on, as expressions of lists: kept where the answer is to tell what it consulted. */
  edges: readonly string[] = [];

  constructor(bindings: Iterable<[string, Binding]> = [], outer: ReadonlyMap<string, Binding> = new Map()) {
    this.bindings = new Map(bindings);
    this.outer = outer;
  }

  kindOf(name: string): Kind {
    return this.bindings.get(name)?.kind ?? any;
  }

  knows(name: string): boolean {
    return this.bindings.has(name);
  }

  isSure(name: string): boolean {
    return this.bindings.get(name)?.sure ?? false;
  }

  /** Every variable that a `*` stands for. */
  names(): string[] {
    return [...this.bindings.keys()].filter((name) => this.outer.get(name) !== this.bindings.get(name));
  }

  /** The same with more variables. */
  with(variables: Iterable<[string, Kind]>, sure = true): Scope {
    const scope = new Scope(this.bindings, this.outer);
    for (const [name, kind] of variables) scope.bindings.set(name, { kind, sure });
    scope.edges = this.edges;
    return scope;
  }

  /** The same where a row rests on these edges. */
  restingOn(edges: readonly string[]): Scope {
    const scope = this.with([]);
    scope.edges = edges;
    return scope;
  }

  /** What stands after a `WITH`: these variables, and perhaps those from outside. */
  only(variables: Iterable<[string, Kind]>): Scope {
    const perhaps = [...this.outer].map(([name, { kind }]) => [name, { kind, sure: false }] as const);
    const scope = new Scope(
      perhaps.map(([name, binding]) => [name, binding]),
      new Map(perhaps),
    );
    for (const [name, kind] of variables) scope.bindings.set(name, { kind, sure: true });
    return scope;
  }

  /** These variables and, perhaps, those of before: what `ORDER BY` and `WHERE` see beside a projection. */
  beside(variables: Iterable<[string, Kind]>): Scope {
    const before = [...this.bindings].map(([name, { kind }]): [string, Binding] => [
      name,
      { kind, sure: false },
    ]);
    const scope = new Scope(before, this.outer);
    for (const [name, kind] of variables) scope.bindings.set(name, { kind, sure: true });
    return scope;
  }

  /** What a sub-query sees that sees everything. */
  inside(): Scope {
    return new Scope(this.bindings, this.bindings);
  }

  /** What a sub-query sees that imports these variables. */
  importing(names: string[]): Scope {
    const bindings = names.map((name): [string, Binding] => [
      name,
      this.bindings.get(name) ?? { kind: any, sure: false },
    ]);
    return new Scope(bindings, new Map(bindings));
  }
}
