import { LRUCache } from 'lru-cache';
import { query } from './clauses.ts';
import { type Conditions, parameter, prefix, shapeOf, valuesOf } from './conditions.ts';
import { consultedColumn } from './consulted.ts';
import type { ProjectedField } from './literals.ts';
import { ownMoment } from './ownMoment.ts';
import { RefusedCypher } from './refusedCypher.ts';
import { Rewrite, refuse } from './rewrite.ts';
import { Scope } from './scope.ts';
import { after, isTree, parseCypher, type Tree, trees } from './tree.ts';

export type { Conditions } from './conditions.ts';
export { consultedColumn } from './consulted.ts';
export { type ProjectedField, projectedFieldsOf } from './literals.ts';
export { RefusedCypher } from './refusedCypher.ts';

/** A query that reads only what qualifies, with the parameters to run it with beside its own. */
export interface Qualified {
  cypher: string;
  parameters: Record<string, unknown>;
  /** The further column of its answer that tells what each row rests on: lists of lists of [statementId, certainty]. */
  consulted?: string;
}

interface Text {
  cypher: string;
  consulted?: string;
}

const cachedTexts = 2_000;

/**
 * Rewrites Cypher so that its answer is that of the same query on a database that holds nothing but what qualifies: the tenant's statements that
 * meet the conditions, and the entities and literals that take part in them. DESIGN, "Qualified reading".
 */
export class Qualifier {
  private readonly fields: ReadonlyMap<string, ProjectedField>;
  private readonly texts = new LRUCache<string, Text>({ max: cachedTexts });

  /** @param fields the vocabulary's literal fields by the property of an entity that projects them */
  constructor(fields: ReadonlyMap<string, ProjectedField>) {
    this.fields = fields;
  }

  /**
   * @param consults whether the answer is to tell the statements that it rests on, as far as that can be told
   * @param isOwn whether the text is made of Concord's own schema, and may say a point in time of its own (`ownMoment.ts`)
   * @throws RefusedCypher where the query has what is not known or not allowed
   * @throws ConcordError -32013 where it names what is closed
   */
  qualify(cypher: string, conditions: Conditions, consults = false, isOwn = false): Qualified {
    const shape = shapeOf(conditions);
    const key = `${consults ? 'consults ' : ''}${isOwn ? 'own ' : ''}${JSON.stringify(shape)} ${cypher}`;
    let text = this.texts.get(key);
    if (text === undefined) {
      text = rewrite(cypher, new Rewrite(shape, this.fields, consults, conditions.closed), isOwn);
      this.texts.set(key, text);
    }
    return { ...text, parameters: { [parameter]: valuesOf(conditions) } };
  }
}

function rewrite(cypher: string, rewriting: Rewrite, isOwn: boolean): Text {
  try {
    return rewritten(cypher, rewriting, isOwn);
  } catch (error) {
    // The parser and the rewriting follow the query's nesting.
    if (error instanceof RangeError)
      throw new RefusedCypher('expressions nested this deeply', { line: 1, column: 1 });
    throw error;
  }
}

function rewritten(cypher: string, rewriting: Rewrite, isOwn: boolean): Text {
  const text = withoutVersion(cypher);
  refuseEscapes(text);
  const tree = parseCypher(text);
  refuseReserved(tree, isOwn);
  const [only, ...more] = trees(tree, 'statement');
  const inner = only && trees(only)[0];
  if (inner === undefined) throw refuse('an empty query', tree);
  if (more[0]) throw refuse('several queries at once', more[0]);
  const consulted = rewriting.consults ? consultedColumn : undefined;
  const { text: inside } = query(rewriting, inner, new Scope(), {
    by: 'agent',
    ...(consulted && { consulted }),
  });
  return { cypher: `CYPHER 5\n${inside}`, ...(consulted && rewriting.tells && { consulted }) };
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

function refuseReserved(tree: Tree, isOwn: boolean): void {
  const said = ownMoment(tree);
  const inOrder = said && (isOwn || said.moment === undefined) ? after(tree, 'WHERE') : undefined;
  for (const part of tree.parts) {
    if (part === inOrder) continue;
    if (isTree(part)) refuseReserved(part, isOwn);
    else if (part.text.replace(/^`/, '').startsWith(prefix))
      throw refuse(`the reserved name ${part.text}`, part);
  }
}
