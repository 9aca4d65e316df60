import { LRUCache } from 'lru-cache';
import type { Quad, Quad_Object, Term } from 'n3';
import { getOrInsert } from '../../base/getOrInsert.ts';
import type { Patch, Statement } from '../../client/index.ts';
import { blankId, idOf, readStatementGraph } from '../rdf/identifiers.ts';
import { annotation, rdf } from '../rdf/iris.ts';
import { literalOf } from '../rdf/literals.ts';
import { type Batcher, type Draft, mentioned } from './batch.ts';
import { checked } from './checked.ts';
import { Faulty, type Located } from './faulty.ts';
import { Reifier } from './reifier.ts';

/** How far apart, in statements, what belongs together may stand in the file: it is what memory holds of it. */
const near = 10_000;
const rememberedClasses = 50_000;

export interface RdfOptions {
  /** Stands for the file in the ids of its blank nodes. */
  fileId: string;
  /** The graph that statements without one go to. */
  graph?: string;
}

/**
 * Makes patches of RDF.
 *
 * The first `rdf:type` of an entity becomes its class: it goes with a patch that names the entity, in the open batch or
 * later. What stays without one, further types, and types that are annotated become statements. What is said of a
 * reifier becomes certainty and provenance of its statement.
 */
export class RdfStatements {
  /** Annotations of statements that the file doesn't state, as far as is known. */
  unasserted = 0;
  /** What was taken, and turned out faulty later. */
  readonly late: Faulty[] = [];
  private readonly batcher: Batcher;
  private readonly options: RdfOptions;
  private readonly classes = new LRUCache<string, string>({ max: rememberedClasses });
  /** Classes that no patch carries yet. */
  private readonly unplaced: LRUCache<string, Draft>;
  private readonly recent = new LRUCache<string, Draft>({ max: near });
  /** Types taken as classes; annotated, they are statements too. */
  private readonly types = new LRUCache<string, Draft>({ max: near });
  private readonly reifiers: LRUCache<string, Reifier>;
  /** By their statement, which is still to come. */
  private readonly waiting: LRUCache<string, Reifier>;

  constructor(batcher: Batcher, options: RdfOptions) {
    this.batcher = batcher;
    this.options = options;
    this.unplaced = new LRUCache<string, Draft>({
      max: near,
      dispose: (draft, _, reason) => reason === 'evict' && this.add(classified(draft)),
    });
    this.reifiers = new LRUCache<string, Reifier>({
      max: near,
      dispose: (reifier, _, reason) => reason === 'evict' && this.statePlainly(reifier),
    });
    this.waiting = new LRUCache<string, Reifier>({
      max: near,
      dispose: (_, __, reason) => {
        if (reason === 'evict') this.unasserted += 1;
      },
    });
  }

  /** @returns what is wrong with the statement, if it cannot be taken */
  take({ line, value: quad }: Located<Quad>): Faulty | undefined {
    const { subject, predicate, object } = quad;
    const own = readStatementGraph(quad.graph.value);
    if (own !== undefined) return this.takeAlone(line, quad, own.graph);
    const graph = this.graphOf(quad);
    const about = aboutOf(subject, graph);
    const reified = tripleOf(object);
    if (reified !== undefined && predicate.value === rdf.reifies) {
      if (tripleOf(reified.subject) || tripleOf(reified.object)) return nested(line);
      const reifier = this.reifier(about);
      reifier.statement = this.keyOf(reified, graph);
      reifier.said = [];
      return this.annotate(line, reifier);
    }
    if (reified !== undefined || tripleOf(subject)) return nested(line);
    if (this.isReification(about, quad)) {
      const reifier = this.reifier(about);
      const fault = reifier.take(line, predicate.value, this.objectOf(object), this.partOf(object));
      if (fault === undefined && reifier.statement === undefined) reifier.said.push({ line, value: quad });
      if (reifier.parts.every((part) => part !== '')) {
        reifier.statement = key(graph, ...reifier.parts);
        reifier.said = [];
      }
      return fault ?? this.annotate(line, reifier);
    }
    return this.state(line, quad, graph);
  }

  /** Tells what has been held back: the input has ended. */
  end(): void {
    for (const reifier of [...this.reifiers.rvalues()]) if (reifier) this.statePlainly(reifier);
    this.reifiers.clear();
    for (const draft of [...this.unplaced.rvalues()]) if (draft) this.add(classified(draft));
    this.unplaced.clear();
    this.unasserted += this.waiting.size;
    this.waiting.clear();
  }

  /** Takes a statement that has a graph of its own in the file; what is said of that graph is said of it. */
  private takeAlone(line: number, quad: Quad, graph = this.options.graph): Faulty | undefined {
    if (tripleOf(quad.subject) || tripleOf(quad.object)) return nested(line);
    const reifier = this.reifier(aboutOf(quad.graph, this.options.graph));
    const identity = this.keyOf(quad, graph);
    reifier.statement ??= identity;
    reifier.said = [];
    if (reifier.statement !== identity) return new Faulty(line, 'the graph of one statement holds another as well');
    return this.state(line, quad, graph, true) ?? this.annotate(line, reifier);
  }

  /** @param isStatement of a type, that it is not the class */
  private state(line: number, quad: Quad, graph: string | undefined, isStatement = false): Faulty | undefined {
    const statement: Statement = {
      subject: { id: this.id(quad.subject) },
      predicate: { id: this.id(quad.predicate) },
      object: this.objectOf(quad.object),
      ...(graph !== undefined && { graph }),
    };
    const draft = checked(line, { op: 'add', statement });
    if (draft instanceof Faulty) return draft;
    const identity = this.keyOf(quad, graph);
    const waiting = this.waiting.get(identity);
    const mayBeClass = quad.predicate.value === rdf.type && !isStatement && waiting === undefined;
    if (mayBeClass && this.classify(identity, { line, patch: draft.value })) return undefined;
    this.add({ line, patch: draft.value }, identity);
    if (waiting === undefined) return undefined;
    this.waiting.delete(identity);
    return this.annotate(line, waiting);
  }

  /** What looked like annotations is of no statement: it is data like any other, unless its subject tells otherwise. */
  private statePlainly(reifier: Reifier): void {
    const said = reifier.said.splice(0);
    if (readStatementGraph(said[0]?.value.subject.value ?? '') !== undefined) {
      this.unasserted += 1;
      return;
    }
    for (const { line, value: quad } of said) {
      const fault = this.state(line, quad, this.graphOf(quad));
      if (fault) this.late.push(fault);
    }
  }

  /** Takes a type as the class of its subject, unless that has another. */
  private classify(identity: string, draft: Draft): boolean {
    const { subject, object } = draft.patch.statement;
    if (!('id' in object)) return false;
    const known = this.classes.get(subject.id);
    if (known !== undefined) return known === object.id;
    this.classes.set(subject.id, object.id);
    this.types.set(identity, draft);
    const mention = this.batcher.mention(subject.id);
    if (mention === undefined) this.unplaced.set(subject.id, draft);
    else mention.type = object.id;
    return true;
  }

  private add(draft: Draft, identity?: string): void {
    for (const each of mentioned(draft.patch)) {
      const unplaced = this.unplaced.get(each.id)?.patch.statement.object;
      if (unplaced === undefined || !('id' in unplaced)) continue;
      each.type = unplaced.id;
      this.unplaced.delete(each.id);
    }
    this.batcher.add(draft);
    if (identity !== undefined) this.recent.set(identity, draft);
  }

  /** Says of a statement what its reifier says, now or when it is stated. */
  private annotate(line: number, reifier: Reifier): Faulty | undefined {
    const { statement: identity } = reifier;
    if (identity === undefined || !reifier.isAnnotated) return undefined;
    let draft = this.recent.get(identity);
    const type = draft === undefined ? this.types.get(identity) : undefined;
    if (type !== undefined) {
      // It was taken as a class, and something is said of it: it is a statement as well.
      draft = { line, patch: structuredClone(type.patch) };
      this.add(draft, identity);
    }
    if (draft === undefined) {
      this.waiting.set(identity, reifier);
      return undefined;
    }
    if (draft.isClosed) {
      if (reifier.certainty === undefined && reifier.provenance === undefined) return undefined;
      // The batch with the statement is on its way: it is stated again, as it is now known.
      draft = { line, patch: structuredClone(draft.patch) };
      this.add(draft, identity);
    }
    const { certainty, provenance, object } = reifier;
    Object.assign(draft.patch.statement, {
      ...(certainty !== undefined && { certainty }),
      ...(provenance !== undefined && { provenance }),
      ...(object !== undefined && { object }),
    });
    const fault = checked(line, draft.patch);
    return fault instanceof Faulty ? fault : undefined;
  }

  private reifier(about: string): Reifier {
    return getOrInsert(this.reifiers, about, () => new Reifier());
  }

  private isReification(about: string, { predicate: { value: predicate }, object }: Quad): boolean {
    return (
      this.reifiers.has(about) ||
      ownPredicates.has(predicate) ||
      (predicate === rdf.type && object.value === rdf.statement)
    );
  }

  private keyOf({ subject, predicate, object }: Quad, graph: string | undefined): string {
    return key(graph, this.partOf(subject), this.partOf(predicate), this.partOf(object));
  }

  /** A term as the identity of its statement has it. */
  private partOf(term: Term): string {
    return term.termType === 'Literal'
      ? JSON.stringify([term.value, term.datatype.value, languageOf(term)])
      : this.id(term);
  }

  private objectOf(term: Quad_Object): Statement['object'] {
    return term.termType === 'Literal'
      ? literalOf(term.value, idOf(term.datatype.value), languageOf(term))
      : { id: this.id(term) };
  }

  private graphOf({ graph }: Quad): string | undefined {
    return graph.termType === 'DefaultGraph' ? this.options.graph : this.id(graph);
  }

  private id(term: Term): string {
    return term.termType === 'BlankNode' ? blankId(this.options.fileId, term.value) : idOf(term.value);
  }
}

const ownPredicates = new Set<string>([...Object.values(annotation), rdf.subject, rdf.predicate, rdf.object]);

/** What annotations speak of, by its name in the file: an entity may have the id of a statement's graph. */
function aboutOf({ termType, value }: Term, graph: string | undefined): string {
  return `${graph ?? ''} ${termType === 'BlankNode' ? '_:' : ''}${value}`;
}

function key(graph: string | undefined, ...parts: string[]): string {
  return [graph ?? '', ...parts].join('\n');
}

/** The patch that says the class of an entity by a statement of its type. */
function classified({ line, patch }: Draft): Draft {
  const { statement } = patch;
  const type = 'id' in statement.object ? statement.object.id : undefined;
  const typed: Patch = { ...patch, statement: { ...statement, subject: { ...statement.subject, type } } };
  return { line, patch: typed };
}

/** n3's types do not know the triple terms of RDF 1.2 yet. */
function tripleOf(term: { termType: string }): Quad | undefined {
  return term.termType === 'Quad' ? (term as unknown as Quad) : undefined;
}

/** With the direction of the text, as RDF 1.2 writes it; n3's types don't know it yet. */
function languageOf(literal: { language: string; direction?: string }): string {
  return literal.direction ? `${literal.language}--${literal.direction}` : literal.language;
}

function nested(line: number): Faulty {
  return new Faulty(line, 'a triple term anywhere but behind rdf:reifies cannot be kept');
}
