import { groupBy } from '../../base/groupBy.ts';
import { inWords } from '../../questions/lexicon.ts';
import type { ClassDefinition, Field, Vocabulary } from '../../vocabulary/vocabulary.ts';
import type { Join, Schema, SchemaTable } from '../schema.ts';
import { literalsOf } from './columnWords.ts';
import { addFarLinks } from './farLinks.ts';

/** How a field of a class is read of its table. */
export type FieldSource =
  | { kind: 'column'; column: string; type: string }
  /** Texts, with a blank between them: `first_name` and `last_name`. */
  | { kind: 'columns'; columns: string[] }
  | { kind: 'path'; steps: PathStep[] };

/** From rows to those of a table. */
export interface PathStep {
  table: [schema: string, name: string];
  on: { before: string; here: string }[];
}

/** A class, and the table that its entities are rows of. */
export interface TableClass {
  table: SchemaTable;
  /** The column that tells its rows apart; absent where several do, or none. */
  key?: string;
  fields: Map<string, FieldSource>;
  /** What the texts of a field say of their row, 0 to 1: from 0.9 on they name it. */
  weights: Map<string, number>;
}

/** The tables of a source as a vocabulary: what questions about them may say. */
export interface TableWords {
  vocabulary: Vocabulary;
  classes: Map<string, TableClass>;
}

export interface Made {
  definition: ClassDefinition;
  of: TableClass;
}

/** Foreign keys that are only likely are no ground for an answer. */
const leastCertainty = 0.9;
/** More words are a sentence, and no other name. */
const longestAlias = 2;

/**
 * What a schema is called in questions: tables are classes, columns their fields, foreign keys links that lead both
 * ways. A table that only joins two is a link from the one to the other.
 */
export function tableWordsOf({ tables, joins }: Schema): TableWords {
  const sure = joins.filter(({ certainty }) => certainty >= leastCertainty);
  const outgoing = groupBy(sure, ({ from }) => from.table);
  const between = new Set(tables.filter((each) => joinsTwo(each, outgoing.get(each.id) ?? [])).map(({ id }) => id));
  const made = new Map<string, Made>();
  const plain = groupBy(tables, ({ path }) => wordsOf(path[1]));
  for (const table of tables) {
    if (between.has(table.id)) continue;
    const isAlone = plain.get(wordsOf(table.path[1]))?.length === 1;
    made.set(table.id, classOf(table, isAlone, outgoing.get(table.id) ?? []));
  }
  for (const [table, each] of outgoing) {
    if (between.has(table)) addJunction(each, tables, made);
    else addLinks(table, each, made);
  }
  addFarLinks(made);
  const all = [...made.values()];
  return {
    vocabulary: { base: 'urn:concord:schema#', classes: all.map(({ definition }) => definition) },
    classes: new Map(all.map(({ definition, of }) => [definition.name, of])),
  };
}

/** `InvoiceLine` and `invoice_line` → `invoice line` */
export const wordsOf = (name: string) => inWords(name).toLowerCase().replace(/\s+/g, ' ').trim();

/** Parts of a comment that are short enough to be another name. */
export function aliasesOf(comment = ''): string[] {
  return comment
    .split(/[.,;:]/)
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '' && each.split(/\s+/).length <= longestAlias);
}

/** A table of two foreign keys and nothing of its own. */
function joinsTwo({ columns, keys }: SchemaTable, joins: Join[]): boolean {
  if (joins.length !== 2) return false;
  const own = keys.filter(({ isPrimary }) => isPrimary).flatMap((each) => each.columns);
  const of = new Set([...joins.flatMap(({ from }) => from.columns), ...own]);
  return columns.every(({ name }) => of.has(name));
}

function classOf(table: SchemaTable, isAlone: boolean, joins: Join[]): Made {
  const plain = wordsOf(table.path[1]);
  const name = isAlone ? plain : `${wordsOf(table.path[0])} ${plain}`;
  const keys = table.keys.filter(({ columns }) => columns.length === 1);
  const key = (keys.find(({ isPrimary }) => isPrimary) ?? keys[0])?.columns[0];
  const { fields, sources, weights } = literalsOf(table, name, new Set(joins.flatMap(({ from }) => from.columns)), key);
  const aliases = [...(isAlone ? [] : [plain]), ...aliasesOf(table.comment)];
  const definition = { name, iri: `urn:concord:table:${name}`, fields, aliases, ...commentOf(table) };
  return { definition, of: { table, ...(key !== undefined && { key }), fields: sources, weights } };
}

export const commentOf = ({ comment }: { comment?: string }) => (comment === undefined ? {} : { description: comment });

/** Adds a field of a name that the class hasn't yet. @returns whether it hadn't */
export function addField({ definition, of }: Made, field: Field, steps: PathStep[]): boolean {
  if (definition.fields.some(({ name }) => name === field.name)) return false;
  definition.fields.push(field);
  of.fields.set(field.name, { kind: 'path', steps });
  return true;
}

export function linkOf(name: string, target: Made, more: { list?: boolean; aliases?: string[] }): Field {
  const { list = false, aliases = [] } = more;
  const predicate = `urn:concord:table:${name}`;
  const said = { list, functional: !list, certainty: 'LATEST' } as const;
  return { kind: 'link', name, predicate, target: target.definition.name, ...said, aliases };
}

/** `customer_id` → `customer`; a key of several columns is called as what it refers to. */
function linkName({ from }: Join, target: Made): string {
  const [column, ...others] = from.columns.map(wordsOf);
  const stem = column?.replace(/ ?(?:id|code|key|no|number|nr|ref|fk)$/, '') ?? '';
  return others.length > 0 || stem === '' ? singular(wordsOf(target.of.table.path[1])) : stem;
}

/** Good enough for a name that is compared by the roots of its words. */
const singular = (words: string) => words.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

/** The links of a table's foreign keys, and their ways back. */
function addLinks(table: string, joins: Join[], made: Map<string, Made>): void {
  const owner = made.get(table);
  if (!owner) return;
  const byTarget = groupBy(joins, ({ to }) => to.table);
  for (const join of joins) {
    const target = made.get(join.to.table);
    if (!target) continue;
    const isOnly = byTarget.get(join.to.table)?.length === 1;
    const name = linkName(join, target);
    const called = wordsOf(target.of.table.path[1]);
    const isOther = singular(called) !== singular(name);
    const link = linkOf(name, target, { aliases: isOnly && isOther && owner !== target ? [called] : [] });
    if (!addField(owner, link, [stepOf(join, target)])) continue;
    const own = wordsOf(owner.of.table.path[1]);
    const isPlain = isOnly && owner !== target;
    const back: Field = {
      ...{ kind: 'inverse', name: isPlain ? own : `${own} by ${name}`, of: name, target: owner.definition.name },
      ...(owner !== target && { description: isPlain ? shortened(own, called) : own }),
    };
    addField(target, back, [backOf(join, owner)]);
  }
}

/** `lines` of the `invoice lines` of an invoice. */
function shortened(own: string, called: string): string {
  const start = `${singular(called)} `;
  return own.startsWith(start) ? own.slice(start.length) : own;
}

function addJunction(joins: Join[], tables: SchemaTable[], made: Map<string, Made>): void {
  const [one, other] = joins;
  const [from, to] = [made.get(one?.to.table ?? ''), made.get(other?.to.table ?? '')];
  const table = tables.find(({ id }) => id === one?.from.table);
  if (!one || !other || !from || !to || !table) return;
  const isSame = from === to;
  const called = isSame ? wordsOf(table.path[1]) : wordsOf(to.of.table.path[1]);
  const through = (way: Join): PathStep => ({
    table: table.path,
    on: way.to.columns.map((before, at) => ({ before, here: way.from.columns[at] ?? '' })),
  });
  const link = linkOf(called, to, { list: true });
  if (!addField(from, link, [through(one), stepOf(other, to)]) || isSame) return;
  const back: Field = {
    ...{ kind: 'inverse', name: wordsOf(from.of.table.path[1]), of: called, target: from.definition.name },
  };
  addField(to, back, [through(other), stepOf(one, from)]);
}

function stepOf({ from, to }: Join, target: Made): PathStep {
  const on = from.columns.map((before, at) => ({ before, here: to.columns[at] ?? '' }));
  return { table: target.of.table.path, on };
}

function backOf({ from, to }: Join, owner: Made): PathStep {
  const on = to.columns.map((before, at) => ({ before, here: from.columns[at] ?? '' }));
  return { table: owner.of.table.path, on };
}
