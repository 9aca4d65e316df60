import type { LiteralField, Scalar } from '../../vocabulary/vocabulary.ts';
import type { SchemaColumn, SchemaTable } from '../schema.ts';
import { aliasesOf, commentOf, type FieldSource, wordsOf } from './tableWords.ts';

interface Literals {
  fields: LiteralField[];
  sources: Map<string, FieldSource>;
  weights: Map<string, number>;
}

/** What the texts of a column say of their row. */
const weight = { name: 1, key: 0.95, other: 0.5 };

const given = /^(?:first|given|fore) ?name$/;
const family = /^(?:last|family|sur) ?name$/;

/**
 * The columns of a table as fields. Which of them says what a row is called is told by its name: `name`, `title`,
 * `track_name`, or a first and a last name. Foreign keys are left to links.
 * @param key the column that tells rows apart: without it a name is a text as others
 */
export function literalsOf(table: SchemaTable, of: string, linked: Set<string>, key: string | undefined): Literals {
  const columns = table.columns.flatMap((column) => {
    const scalar = linked.has(column.name) ? undefined : scalarOf(column.type);
    return scalar === undefined ? [] : [{ column, name: wordsOf(column.name), scalar }];
  });
  const texts = columns.filter(({ scalar }) => scalar === 'String').map(({ name }) => name);
  const unique = new Set(table.keys.flatMap(({ columns }) => (columns.length === 1 ? columns : [])));
  const found: Literals = { fields: [], sources: new Map(), weights: new Map() };
  const [first, last] = [given, family].map((each) => columns.find(({ name }) => each.test(name))?.column.name);
  const isPerson = first !== undefined && last !== undefined && !texts.includes('name');
  const called = isPerson ? undefined : nameAmong(texts, wordsOf(table.path[1]));
  if (isPerson) {
    found.fields.push(fieldOf({ name: 'name', scalar: 'String', isName: true }));
    found.sources.set('name', { kind: 'columns', columns: [first, last] });
    found.weights.set('name', key === undefined ? weight.other : weight.name);
  }
  for (const { column, name, scalar } of columns) {
    if (found.sources.has(name)) continue;
    const isKey = scalar !== 'String' && (column.name === key || /(?:^| )id$/.test(name));
    const isName = name === called;
    const aliases = [...aliasesOf(column.comment), ...headOf(name, of, columns)];
    found.fields.push({
      ...fieldOf({ name, scalar: isKey ? 'ID' : scalar, isName }),
      ...commentOf(column),
      ...(aliases.length > 0 && { aliases }),
    });
    found.sources.set(name, { kind: 'column', column: column.name, type: column.type });
    if (scalar !== 'String') continue;
    const says = isName ? weight.name : unique.has(column.name) ? weight.key : weight.other;
    found.weights.set(name, key === undefined ? weight.other : says);
  }
  return found;
}

function fieldOf({ name, scalar, isName }: { name: string; scalar: Scalar; isName: boolean }): LiteralField {
  const predicate = `urn:concord:table:${name}`;
  // What a functional text says is what an entity is called.
  const said = { list: false, functional: isName, certainty: 'LATEST', indexed: false } as const;
  return { kind: 'literal', name, predicate, scalar, ...said };
}

function nameAmong(texts: string[], table: string): string | undefined {
  const own = (text: string) => [`${table} name`, `${table.replace(/s$/, '')} name`, `${table} title`].includes(text);
  const plain = ['name', 'label', 'title'].find((each) => texts.includes(each));
  const named = texts.filter((each) => / (?:name|title)$/.test(each));
  return plain ?? texts.find(own) ?? (named.length === 1 ? named[0] : undefined);
}

/** `price` of `unit price`, and `name` of a track's `track name`, where no other column is called so. */
function headOf(name: string, table: string, columns: { name: string }[]): string[] {
  const head = name.split(' ').at(-1) ?? '';
  const isShared = columns.some((other) => other.name !== name && other.name.split(' ').at(-1) === head);
  const isVague =
    ['id', 'code', 'name', 'date', 'no', 'number', 'type'].includes(head) && !name.startsWith(`${table} `);
  return head === name || isShared || isVague ? [] : [head];
}

/** @returns undefined of what no question speaks of: documents, pictures, lists */
export function scalarOf(type: SchemaColumn['type']): Scalar | undefined {
  const plain = type.toLowerCase();
  if (/json|bytea|blob|binary|xml|\[\]|tsvector|geo|point|polygon|line|path|box|circle|interval|range/.test(plain))
    return undefined;
  if (/^(?:bool|tinyint\(1\)|bit\(1\))/.test(plain)) return 'Boolean';
  if (/^(?:smallint|integer|bigint|int|tinyint|mediumint|year)/.test(plain)) return 'Int';
  if (/^(?:numeric|decimal|real|double|float)/.test(plain)) return 'Float';
  if (/^(?:timestamp|datetime)/.test(plain)) return 'DateTime';
  if (plain === 'date') return 'Date';
  return /^time/.test(plain) ? undefined : 'String';
}
