import { type Closed, closedError } from '../closed.ts';
import type { Aggregated } from './aggregated.ts';
import { isLimited, isProjectionRight, prefix, type Shape } from './conditions.ts';
import type { EntityText, ProjectedField } from './literals.ts';
import { RefusedCypher } from './refusedCypher.ts';
import type { Tree, Word } from './tree.ts';

const deepest = 6;

/** One rewriting of one query. */
export class Rewrite {
  readonly shape: Shape;
  /** Whether anything but the tenant limits what is read. */
  readonly limited: boolean;
  /** Whether a projected property may be read as it is. */
  readonly readsProjection: boolean;
  /** The vocabulary's literal fields by the property of an entity. */
  readonly fields: ReadonlyMap<string, ProjectedField>;
  /** Whether the answer is to tell which statements it rests on. */
  readonly consults: boolean;
  /** Cleared where what it rests on can't be told. */
  tells: boolean;
  /** The properties of entities that the projection shows which is being rewritten, while it is. */
  shown: Map<string, [EntityText, string]> | undefined;
  /** What the aggregating functions take of the projection that is being rewritten, while it is and where that may be long to work out. */
  aggregated: Aggregated | undefined;
  private readonly closed: Closed | undefined;
  private variables = 0;
  private depth = 0;

  constructor(
    shape: Shape,
    fields: ReadonlyMap<string, ProjectedField>,
    consults: boolean,
    closed: Closed | undefined,
  ) {
    this.shape = shape;
    this.consults = consults;
    this.tells = consults;
    this.limited = isLimited(shape);
    this.readsProjection = isProjectionRight(shape);
    this.fields = fields;
    this.closed = closed;
  }

  /** @throws ConcordError -32013 if the query may not name this label, relationship type or property of an entity */
  refuseClosed(what: 'labels' | 'types' | 'properties', name: string): void {
    const iri = this.closed?.[what].get(name);
    if (this.closed && iri !== undefined)
      throw closedError(what === 'labels' ? 'class' : 'predicate', iri, this.closed);
  }

  /** Whether this property of an entity is closed. */
  isClosed(property: string): boolean {
    return this.closed?.properties.has(property) ?? false;
  }

  /** A variable that the query doesn't have. */
  variable(): string {
    this.variables += 1;
    return `${prefix}${this.variables}`;
  }

  /** Goes one deeper into what takes several times as long with each level. */
  enter(construct: string, at: Tree): void {
    this.depth += 1;
    if (this.depth > deepest) throw refuse(`${construct} nested this deeply`, at);
  }

  leave(): void {
    this.depth -= 1;
  }
}

export function refuse(construct: string, at: Tree | Word, advice?: string): RefusedCypher {
  return new RefusedCypher(construct, at.position, advice);
}

/** `shortest path expression` of `shortestPathExpression` */
export function words(rule: string): string {
  return rule.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
