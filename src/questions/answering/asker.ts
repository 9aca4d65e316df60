import type { GraphQLSchema } from 'graphql';
import { getNamedType, getNullableType, isListType } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import type { Database } from '../../graph/database/database.ts';
import { type ClosedIris, closedText } from '../../graph/names/closed.ts';
import type { ClosedTo } from '../../knowledge/conditions.ts';
import type { QueryResult } from '../../knowledge/query/query.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { loadLanguage } from '../language.ts';
import { Lexicon } from '../lexicon.ts';
import { type ReadQuestion, readQuestion, type Understood, wordsOfQuestion } from '../reading/read.ts';
import { takeApart } from '../under.ts';
import { type Answer, answer } from './answer.ts';
import { textsLike } from './lookUp.ts';

export interface AskerParts {
  database: Database;
  /** `knowledge/query` */
  query: UnaryMethod<QueryResult>;
  schema: GraphQLSchema;
  vocabulary: Vocabulary;
  textWeights: Map<string, number>;
  closedTo: ClosedTo;
  timeoutMs: number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Lexicons that are kept, one for what is closed alike. */
const mostLexicons = 20;

/** Reads questions and answers them, each as its caller: by the vocabulary that is open to it and by what it sees. */
export class Asker {
  private readonly lexicons = new LRUCache<string, Lexicon>({ max: mostLexicons });
  private readonly plurals: Map<string, string>;

  constructor(private readonly parts: AskerParts) {
    const roots = Object.values(parts.schema.getQueryType()?.getFields() ?? {});
    this.plurals = new Map(
      roots.flatMap(({ name, type }) =>
        isListType(getNullableType(type)) ? [[getNamedType(type).name, name] as const] : [],
      ),
    );
  }

  /** @throws ConcordError as `knowledge/query` */
  async read(question: string, call: Call): Promise<ReadQuestion> {
    const language = await loadLanguage();
    const lexicon = await this.lexiconOf(call);
    const now = this.parts.now();
    const words = wordsOfQuestion(question, lexicon, language);
    if (!words) return { kind: 'too-long' };
    const { under } = takeApart(words.tokens, now);
    const seen = await textsLike(this.parts, words.unknown, lexicon.vocabulary, under, call);
    return readQuestion(question, seen, { lexicon, language, now });
  }

  /** @throws ConcordError as `knowledge/query` */
  async answer({ query, under }: Understood, call: Call): Promise<Answer> {
    const lexicon = await this.lexiconOf(call);
    const pluralOf = (name: string) => this.plurals.get(name) ?? name;
    return answer(query, under, { lexicon, pluralOf, query: this.parts.query }, call);
  }

  private async lexiconOf({ principal }: Call): Promise<Lexicon> {
    const closed = this.parts.closedTo(principal);
    const key = closedText(closed);
    const known = this.lexicons.get(key);
    if (known) return known;
    const lexicon = new Lexicon(openTo(this.parts.vocabulary, closed), await loadLanguage());
    this.lexicons.set(key, lexicon);
    return lexicon;
  }
}

/** The vocabulary without what is closed, and without links to it. */
function openTo(vocabulary: Vocabulary, closed: ClosedIris | undefined): Vocabulary {
  if (!closed) return vocabulary;
  const classes = vocabulary.classes.filter(({ iri }) => !closed.classes.has(iri));
  const names = new Set(classes.map(({ name }) => name));
  const isOpen = (predicate: string) => !closed.predicates.has(predicate);
  return {
    ...vocabulary,
    classes: classes.map((each) => ({
      ...each,
      fields: each.fields.filter((field) => {
        if (field.kind === 'literal') return isOpen(field.predicate);
        if (!names.has(field.target)) return false;
        if (field.kind === 'link') return isOpen(field.predicate);
        const target = classes.find(({ name }) => name === field.target);
        return target?.fields.some((link) => link.kind === 'link' && link.name === field.of && isOpen(link.predicate));
      }),
    })),
  };
}
