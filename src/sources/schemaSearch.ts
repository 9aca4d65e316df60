import { type Candidate, compare, questionOf } from '../graph/search/comparing.ts';
import { ranked } from '../graph/search/ranking.ts';
import type { Schema, SchemaColumn, SchemaTable } from './schema.ts';

/** A column with the table that it is of. */
export interface FoundColumn {
  table: SchemaTable;
  column: SchemaColumn;
}

/** What a comment says of a table or column beside its name. */
const commentWeight = 0.5;

/** Tables and columns of which the name or comment is like the words of a text, misspelt too; the likest first. */
export function schemaLike(
  { tables }: Schema,
  text: string,
  first: number,
): { tables: SchemaTable[]; columns: FoundColumn[] } {
  const columns = tables.flatMap((table) => table.columns.map((column) => ({ table, column })));
  return {
    tables: likest(text, tables, first, (table) => candidateOf(table, [table.kind])),
    columns: likest(text, columns, first, ({ table, column }) => candidateOf(column, [inWords(table.name)])),
  };
}

function likest<Each>(text: string, all: Each[], first: number, candidateOf: (each: Each) => Candidate): Each[] {
  const question = questionOf(text);
  const candidates = all.map(candidateOf);
  const byId = new Map(candidates.map(({ id }, index) => [id, all[index]]));
  const found = ranked(question, compare(question, candidates)).slice(0, first);
  return found.flatMap(({ id }) => byId.get(id) ?? []);
}

function candidateOf({ id, name, comment }: SchemaTable | SchemaColumn, kinds: string[]): Candidate {
  const texts = [{ value: inWords(name), weight: 1 }];
  if (comment !== undefined) texts.push({ value: comment, weight: commentWeight });
  return { id, texts, kinds };
}

/** `orderLine` and `order_line` → `order Line` and `order line` */
const inWords = (name: string) => name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
