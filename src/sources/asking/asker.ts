import { LRUCache } from 'lru-cache';
import { closedText } from '../../graph/names/closed.ts';
import type { ClosedTo } from '../../knowledge/conditions.ts';
import { type Language, loadLanguage } from '../../questions/language.ts';
import { Lexicon } from '../../questions/lexicon.ts';
import { type ReadQuestion, readQuestion, type Understood, wordsOfQuestion } from '../../questions/reading/read.ts';
import { takeApart } from '../../questions/under.ts';
import type { Principal } from '../../security/principal.ts';
import type { Statement as Stated } from '../../wire/types.ts';
import type { Selected } from '../adapters/source.ts';
import { type Schema, schemaOf } from '../schema.ts';
import type { SchemaReader } from '../schemaReader.ts';
import { schemaLike } from '../schemaSearch.ts';
import { valuesLike } from './lookUp.ts';
import { querySql } from './querySql.ts';
import type { SqlDialect, Statement } from './statement.ts';
import { type TableWords, tableWordsOf } from './tableWords.ts';

/** A source that is asked. */
export interface Asked {
  name: string;
  dialect: SqlDialect;
  principal: Principal;
  /** Runs a statement of Concord's own. */
  select(statement: Statement, rows: number): Promise<Selected>;
}

export type ReadOfSource =
  | ReadQuestion
  /** Nothing is stated of what it is made of. */
  | { kind: 'not-introspected' }
  /** Times and certainties are of the graph; a source has neither. */
  | { kind: 'under' };

/** Tables that a question is read over; of a larger schema those that are like its words. */
const mostTables = 40;
const mostKept = 20;

interface Words {
  words: TableWords;
  lexicon: Lexicon;
}

/** Reads questions to sources: over what is stated of their schemas, as the caller sees it, and the values in them. */
export class SourceAsker {
  private readonly schemas = new LRUCache<string, { of: Stated[]; schema: Schema; words: Words }>({ max: mostKept });

  constructor(private readonly parts: { schemas: SchemaReader; closedTo: ClosedTo; now(): number }) {}

  /** @throws ConcordError of the source */
  async read(question: string, asked: Asked): Promise<ReadOfSource> {
    const language = await loadLanguage();
    const found = await this.wordsFor(question, asked, language);
    if (!found) return { kind: 'not-introspected' };
    const { words, lexicon } = found;
    const said = wordsOfQuestion(question, lexicon, language);
    if (!said) return { kind: 'too-long' };
    const now = this.parts.now();
    if (takeApart(said.tokens, now).taken.length > 0) return { kind: 'under' };
    const look = { words, lexicon, dialect: asked.dialect, select: asked.select };
    const seen = await valuesLike(look, said.tokens, said.unknown);
    return readQuestion(question, seen, { lexicon, language, now });
  }

  /** The statement of what was read, over the schema as it is now. */
  async statement(question: string, { query }: Understood, asked: Asked): Promise<Statement> {
    const found = await this.wordsFor(question, asked, await loadLanguage());
    if (!found) throw new Error('The schema has gone');
    return querySql(query, found.words, asked.dialect);
  }

  private async wordsFor(question: string, { name, principal }: Asked, language: Language): Promise<Words | undefined> {
    const closed = this.parts.closedTo(principal);
    const all = await this.parts.schemas.read(principal.tenant, name);
    const key = JSON.stringify([principal.tenant, name, closedText(closed)]);
    const kept = this.schemas.get(key);
    if (kept?.of === all) return this.partFor(question, kept, language);
    const schema = schemaOf(await this.parts.schemas.seen(principal, name, closed));
    if (schema.tables.length === 0) return undefined;
    const isSmall = schema.tables.length <= mostTables;
    const whole = wordsOf(isSmall ? schema : { tables: [], joins: [] }, language);
    this.schemas.set(key, { of: all, schema, words: whole });
    return this.partFor(question, { schema, words: whole }, language);
  }

  private partFor(question: string, { schema, words }: { schema: Schema; words: Words }, language: Language): Words {
    return schema.tables.length <= mostTables ? words : wordsOf(partOf(schema, question), language);
  }
}

function wordsOf(schema: Schema, language: Language): Words {
  const words = tableWordsOf(schema);
  return { words, lexicon: new Lexicon(words.vocabulary, language, true) };
}

/** The tables that are like the words of a question, by their columns too, and those that they join with. */
function partOf({ tables, joins }: Schema, question: string): Schema {
  const found = schemaLike({ tables, joins }, question, mostTables / 4);
  const meant = new Set([...found.tables, ...found.columns.map(({ table }) => table)].map(({ id }) => id));
  const near = joins.flatMap(({ from, to }) => {
    if (meant.has(from.table)) return [to.table];
    return meant.has(to.table) ? [from.table] : [];
  });
  const kept = new Set([...meant, ...near].slice(0, mostTables));
  return {
    tables: tables.filter(({ id }) => kept.has(id)),
    joins: joins.filter(({ from, to }) => kept.has(from.table) && kept.has(to.table)),
  };
}
