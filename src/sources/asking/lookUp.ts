import { sql } from 'kysely';
import type { Lexicon } from '../../questions/lexicon.ts';
import { labelOf } from '../../questions/reading/labels.ts';
import type { SeenText } from '../../questions/values.ts';
import type { Token } from '../../questions/words.ts';
import type { Selected } from '../adapters/source.ts';
import { type Alias, type Piece, Rows, textOf } from './rows.ts';
import { all, named, printed, type SqlDialect, type Statement } from './statement.ts';
import type { TableWords } from './tableWords.ts';

/** Words that are looked up, tables and their columns that they are looked up in. */
const mostWords = 12;
const mostTables = 20;
const mostColumns = 12;
/** Rows of a table that are looked at, and values of a column that are fetched. */
const mostRows = 100_000;
const mostValues = 300;
/** From how many letters on a word may be misspelt. */
const longEnough = 4;

export interface LookUpParts {
  words: TableWords;
  lexicon: Lexicon;
  dialect: SqlDialect;
  select(statement: Statement, rows: number): Promise<Selected>;
}

/**
 * The values in a source that a question may speak of: in the tables that it names and those beside them, what has one
 * of its words or begins with the same letter.
 * @param unknown words, folded, that may be values
 */
export async function valuesLike(parts: LookUpParts, tokens: readonly Token[], unknown: string[]): Promise<SeenText[]> {
  const words = [...new Set(unknown.flatMap((word) => word.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []))].slice(0, mostWords);
  const found: SeenText[] = [];
  for (const of of classesNear(parts, tokens)) {
    const numbers = numbersOf(of, parts, tokens);
    const asked = statementOf(of, words, numbers, parts);
    if (asked) found.push(...seenIn(await parts.select(asked.statement, asked.most), of, asked.fields, parts.words));
  }
  return found;
}

/** Those that are named, by what they are called or have, before those that they link to. */
function classesNear({ words: { vocabulary }, lexicon }: LookUpParts, tokens: readonly Token[]): string[] {
  const terms = tokens.flatMap((_, at) => lexicon.termsAt(tokens, at).map(({ term }) => term));
  const meant = terms.filter(({ kind }) => kind === 'class').map((term) => term.class);
  const having = terms.filter(({ kind }) => kind === 'field').map((term) => term.class);
  const named = new Set([...meant, ...having]);
  const beside = vocabulary.classes
    .filter(({ name }) => named.has(name))
    .flatMap(({ fields }) => fields.flatMap((field) => (field.kind === 'literal' ? [] : [field.target])));
  const others = named.size === 0 ? vocabulary.classes.map(({ name }) => name) : [];
  return [...new Set([...named, ...beside, ...others])].slice(0, mostTables);
}

/** `customer 5`: numbers that may be keys, for they stand behind what the rows are called. */
function numbersOf(of: string, { lexicon, words }: LookUpParts, tokens: readonly Token[]): string[] {
  const key = words.classes.get(of)?.key;
  const isNumber = words.classes.get(of)?.table.columns.some(({ name, type }) => name === key && /int/.test(type));
  if (!isNumber) return [];
  return tokens.flatMap(({ word }, at) => {
    if (!/^\d{1,9}$/.test(word)) return [];
    const from = [1, 2, 3].filter((length) =>
      lexicon
        .termsAt(tokens, at - length)
        .some(({ term, length: long }) => term.kind === 'class' && term.class === of && long === length),
    );
    return from.length > 0 ? [word] : [];
  });
}

function statementOf(
  of: string,
  words: string[],
  numbers: string[],
  { words: schema, dialect }: LookUpParts,
): { statement: Statement; fields: string[]; most: number } | undefined {
  const rows = new Rows(schema, dialect);
  const weights = schema.classes.get(of)?.weights ?? new Map<string, number>();
  const fields = words.length === 0 ? [] : [...weights.keys()].slice(0, mostColumns);
  const parts = fields.map((field, index) =>
    likeWords(of, field, index, words, rows, (weights.get(field) ?? 0) >= 0.9),
  );
  if (numbers.length > 0) parts.push(byKey(of, numbers, rows));
  if (parts.length === 0) return undefined;
  return { statement: printed(all(parts, sql` UNION ALL `), dialect), fields, most: parts.length * mostValues };
}

function likeWords(of: string, field: string, index: number, words: string[], rows: Rows, names: boolean): Piece {
  const alias = rows.alias();
  const [found, some] = [rows.alias(), rows.alias()];
  const value = textOf(rows.column(of, alias, field), rows.dialect);
  const lower = sql`lower(${named(found, 'value')})`;
  const like = (pattern: string) => sql`${lower} LIKE ${pattern}`;
  const exact = all(
    words.map((word) => like(`%${word}%`)),
    sql` OR `,
  );
  const starts = [...new Set(words.filter(({ length }) => length >= longEnough).map((word) => word.slice(0, 1)))];
  const near = starts.flatMap((letter) => [sql` OR ${like(`${letter}%`)}`, sql` OR ${like(`% ${letter}%`)}`]);
  const id = names ? keyText(of, alias, rows) : value;
  const from = sql`(SELECT * FROM ${rows.table(of, alias)} LIMIT ${sql.lit(mostRows)}) AS ${named(alias)}`;
  const texts = sql`SELECT DISTINCT ${id} AS id, ${value} AS value, ${
    names ? labelText(of, alias, value, rows) : value
  } AS label FROM ${from}`;
  return sql`(SELECT ${sql.lit(index)} AS field, ${sql.id(some)}.* FROM
(SELECT ${sql.id(found)}.* FROM (${texts}) AS ${named(found)} WHERE ${exact}${all(near, sql``)}
ORDER BY CASE WHEN ${exact} THEN 0 ELSE 1 END LIMIT ${sql.lit(mostValues)}) AS ${named(some)})`;
}

function byKey(of: string, numbers: string[], rows: Rows): Piece {
  const alias = rows.alias();
  const key = keyText(of, alias, rows);
  const label = labelText(of, alias, key, rows);
  return sql`(SELECT ${sql.lit(-1)} AS field, ${key} AS id, ${key} AS value, ${label} AS label
FROM ${rows.table(of, alias)} WHERE ${rows.key(of, alias)} IN (${sql.join(numbers)}))`;
}

const keyText = (of: string, alias: Alias, rows: Rows) => textOf(rows.key(of, alias), rows.dialect);

function labelText(of: string, alias: Alias, other: Piece, rows: Rows): Piece {
  const label = labelOf(rows.definitionOf(of));
  return label === undefined ? other : textOf(rows.column(of, alias, label), rows.dialect);
}

function seenIn({ rows }: Selected, of: string, fields: string[], words: TableWords): SeenText[] {
  const weights = words.classes.get(of)?.weights;
  const key = words.classes.get(of)?.key ?? '';
  const seen = rows.flatMap(([index, id, value, label]): SeenText[] => {
    if (id === null || value === null || value === undefined) return [];
    const field = fields[Number(index)];
    const weight = field === undefined ? 1 : (weights?.get(field) ?? 0);
    const called = field === undefined ? `${key} ${value}` : String(label ?? value);
    return [{ id: String(id), class: of, field: field ?? key, value: String(value), label: called, weight }];
  });
  return seen.map((each) => {
    const isShared = seen.some(({ id, label, weight }) => weight >= 0.9 && label === each.label && id !== each.id);
    return isShared && each.weight >= 0.9 ? { ...each, label: `${each.label} (${key} ${each.id})` } : each;
  });
}
