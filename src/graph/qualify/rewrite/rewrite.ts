import { type Closed, closedError } from '../../names/closed.ts';
import { RefusedCypher } from '../grammar/refusedCypher.ts';
import { nameOf as nameIn, type Tree, type Word } from '../grammar/tree.ts';
import { isLimited, isProjectionRight, type Shape } from '../text/conditions.ts';
import type { ProjectedField } from '../text/literals.ts';
import { type Name, nameOf, type Variable } from '../text/piece.ts';
import type { Aggregated } from './aggregated.ts';

const deepest = 6;

/** Where values of entities have been fetched, by the type of their statements. */
export type Fetched = ReadonlyMap<Variable, ReadonlyMap<string, Variable>>;

/** One rewriting of one query. */
export class Rewrite {
  /** Whether anything but the tenant limits what is read. */
  readonly limited: boolean;
  /** Whether a projected property may be read as it is. */
  readonly readsProjection: boolean;
  /** Cleared where what it rests on can't be told. */
  tells: boolean;
  /** The properties of entities that the projection shows which is being rewritten, while it is. */
  shown: Map<Variable, Set<string>> | undefined;
  /**
   * What the aggregating functions take of the projection that is being rewritten, while it is.
   */
  aggregated: Aggregated | undefined;
  /** The lists that are fetched for the expression that is being rewritten, while it is. */
  fetched: Fetched = new Map();
  /** The caller's parameters that must be lists, and where each parameter stands first. */
  readonly lists = new Set<string>();
  readonly parameters = new Map<string, Tree>();
  /** Its patterns so far, and their nodes and relationships. */
  patterns = 0;
  elements = 0;
  /** Whether one of the patterns has no index to begin at. */
  scans = false;
  /** How many negations are around what is being rewritten. */
  negations = 0;
  private depth = 0;

  constructor(
    readonly shape: Shape,
    /** The vocabulary's literal fields by the property of an entity. */
    readonly fields: ReadonlyMap<string, ProjectedField>,
    /** Whether the answer is to tell which statements it rests on. */
    readonly consults: boolean,
    private readonly closed: Closed | undefined,
    /** Whether the text is made of the schema, which looks at the values that it is answered. */
    readonly isOwn: boolean,
  ) {
    this.tells = consults;
    this.limited = isLimited(shape);
    this.readsProjection = isProjectionRight(shape);
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

/** A piece of the query that must be there. @throws RefusedCypher naming what it is without it */
export function required<Piece>(found: Piece | undefined, construct: string, at: Tree): Piece {
  if (found === undefined) throw refuse(construct, at);
  return found;
}

/**
 * The name that stands here, as Concord writes it.
 * @throws RefusedCypher where no name in the graph can be like that
 */
export function namedBy(of: Tree): Name {
  return nameAt(nameIn(of), of);
}

export function nameAt(name: string, at: Tree): Name {
  if (!/^[\p{L}\p{N}_]+$/u.test(name))
    throw refuse(`the name ${JSON.stringify(name)}`, at, 'names are of letters, digits and underscores');
  return nameOf(name);
}

/** `shortest path expression` of `shortestPathExpression` */
export function words(rule: string): string {
  return rule.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
