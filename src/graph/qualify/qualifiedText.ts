import { LimitExceeded } from '../../base/limitExceeded.ts';
import type { Closed } from '../names/closed.ts';
import { audit } from './audit/audit.ts';
import { type Position, RefusedCypher } from './grammar/refusedCypher.ts';
import { checkElements } from './grammar/textLimits.ts';
import { parseCypher, trees } from './grammar/tree.ts';
import type { PageAsked } from './paging/keyset.ts';
import { paged } from './paging/paging.ts';
import { query } from './rewrite/clauses.ts';
import { saysMoment } from './rewrite/patternElements.ts';
import { Rewrite, refuse, required } from './rewrite/rewrite.ts';
import { Scope } from './rewrite/scope.ts';
import type { Shape } from './text/conditions.ts';
import { isPlainlyBest, type ProjectedField } from './text/literals.ts';
import { cypher, type Literal, Variable } from './text/piece.ts';
import { lengthOf, print } from './text/printer.ts';

/** A text to rewrite, and for whom. */
export interface Written {
  cypher: string;
  shape: Shape;
  closed?: Closed;
  /** Whether the answer is to tell the statements that it rests on, as far as that can be told. */
  consults: boolean;
  /** Whether the text is made of Concord's own schema, and may say a point in time of its own (`statementAsOf`). */
  isOwn: boolean;
  /** Of a text of the schema's own, what is asked of its page. */
  page?: PageAsked;
}

/** What it becomes, whatever the values of the conditions. */
export interface QualifiedText {
  cypher: string;
  /** What the columns of the answer are called, in their order. */
  columns: readonly string[];
  /** Whether one more column, the last, tells what each row rests on: lists of lists of [statementId, certainty]. */
  consulted: boolean;
  /** Whether Neo4j can begin it at indexes, as far as its text tells. */
  usesIndex: boolean;
  /** The values that were written in it, by parameter. */
  literals: Readonly<Record<string, Literal['value']>>;
  /** The caller's parameters by those of the text. */
  given: ReadonlyMap<string, GivenParameter>;
}

export interface GivenParameter {
  name: string;
  isList: boolean;
  position: Position;
}

/** Characters of a text that is sent: Neo4j plans for as long as a text has parts, and nothing stops it. */
const longest = 100_000;

/**
 * Rewrites a text, and reads what has become of it again.
 * @param fields the vocabulary's literal fields by the property of an entity that projects them
 * @throws RefusedCypher where it has what is not known or not allowed
 * @throws ConcordError -32013 where it names what is closed
 * @throws LimitExceeded where it is too long, too deep or too much
 * @throws UnconfinedCypher where the rewriting has failed
 */
export function qualifiedText(fields: ReadonlyMap<string, ProjectedField>, written: Written): QualifiedText {
  const { shape, closed, consults, isOwn, page } = written;
  const given = withoutVersion(written.cypher);
  refuseEscapes(given);
  const rewriting = new Rewrite(shape, fields, consults, closed, isOwn);
  const found = withinStack(() => {
    const text = isOwn ? paged(given, indexedBy(fields, rewriting), page) : given;
    return rewritten(text, rewriting, isOwn);
  });
  const closedProperties = new Set(closed?.properties.keys());
  withinStack(() => audit(found.cypher, { shape, isOwn, fields, closedProperties }));
  return found;
}

/** The properties whose index has the order of the values that qualify. */
function indexedBy(fields: ReadonlyMap<string, ProjectedField>, rewriting: Rewrite): ReadonlySet<string> {
  const { readsProjection, shape } = rewriting;
  const indexed = [...fields].filter(([name, field]) => {
    const isAsItIs = readsProjection || (isPlainlyBest(name, field, shape) && !rewriting.isClosed(name));
    return field.indexed && !field.list && isAsItIs;
  });
  return new Set(indexed.map(([name]) => name));
}

function rewritten(text: string, rewriting: Rewrite, isOwn: boolean): QualifiedText {
  const tree = parseCypher(text, !isOwn);
  const [only, ...more] = trees(tree, 'statement');
  const inner = required(only && trees(only)[0], 'an empty query', tree);
  if (more[0]) throw refuse('several queries at once', more[0]);
  if (!isOwn && saysMoment(tree)) throw refuse('the reserved name __concordAsOf', tree);
  const consulted = rewriting.consults ? new Variable() : undefined;
  const found = query(inner, new Scope(rewriting), { by: 'agent', ...(consulted && { consulted }) });
  if (!isOwn) checkElements(rewriting.elements);
  const whole = cypher`CYPHER 5\n${found.text}`;
  const length = lengthOf(whole);
  if (length > longest) {
    const message = `The query becomes ${length} characters under its conditions, more than the limit of ${longest}; split it`;
    throw new LimitExceeded('too-large', message, { limit: longest, found: length });
  }
  const printed = print(whole);
  const given = [...printed.given].map(([as, name]): [string, GivenParameter] => {
    const position = rewriting.parameters.get(name)?.position ?? tree.position;
    return [as, { name, isList: rewriting.lists.has(name), position }];
  });
  return {
    cypher: printed.cypher,
    columns: found.columns.map(([name]) => name),
    consulted: consulted !== undefined && rewriting.tells,
    usesIndex: rewriting.patterns > 0 && !rewriting.scans,
    literals: printed.literals,
    given: new Map(given),
  };
}

/** The parser and the rewriting follow the query's nesting. */
function withinStack<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new RefusedCypher('expressions nested this deeply', { line: 1, column: 1 });
    throw error;
  }
}

/** The query without the `CYPHER 5` that it may begin with; positions stay as they are. */
function withoutVersion(cypher: string): string {
  return cypher.replace(/^\s*CYPHER\s+5\s/i, (version) => version.replace(/\S/g, ' '));
}

/** Neo4j replaces these before it reads anything else, so that a string could end where none seems to. */
function refuseEscapes(text: string): void {
  const at = text.search(/\\u/i);
  if (at < 0) return;
  const before = text.slice(0, at).split('\n');
  const position = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  throw new RefusedCypher('an escape with \\u', position, 'write the character itself or use a parameter');
}
