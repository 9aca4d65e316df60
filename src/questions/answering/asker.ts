import type { GraphQLSchema } from 'graphql';
import { getNamedType, getNullableType, isListType } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Call, UnaryMethod } from '../../calls/call.ts';
import type { Database } from '../../graph/database/database.ts';
import { type ClosedIris, closedText } from '../../graph/names/closed.ts';
import type { ClosedTo } from '../../knowledge/conditions.ts';
import type { QueryResult } from '../../knowledge/query/query.ts';
import { rightsText } from '../../security/principal.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { loadLanguage } from '../language.ts';
import { Lexicon } from '../lexicon.ts';
import type { ReadUnder } from '../query.ts';
import { type ReadQuestion, readQuestion, type Understood, wordsOfQuestion } from '../reading/read.ts';
import { takeApart } from '../under.ts';
import { type ValueMatch, valuesIn } from '../values.ts';
import { longestQuestion, mostTokens, type Token, tokensOf } from '../words.ts';
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

/** What a question is about. */
export interface About {
  tokens: Token[];
  /** Of what is open to who asks. */
  lexicon: Lexicon;
  under: ReadUnder;
  /** What words stand for, as the caller sees it; their places are those in the question without what `under` has. */
  values: ValueMatch[];
  /** The same of two callers only where they may do and see the very same. */
  sight: string;
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

  /**
   * What a question is about as far as its words tell, whether it is understood or not.
   * @throws ConcordError as `knowledge/query`
   */
  async about(question: string, call: Call): Promise<About> {
    const { tokens, sight } = await this.sightOf(question, call);
    const lexicon = await this.lexiconOf(call);
    const start = question.slice(0, longestQuestion);
    const unknown = wordsOfQuestion(start, lexicon, await loadLanguage())?.unknown ?? [];
    const { tokens: rest, under } = takeApart(tokens, this.parts.now());
    const seen = await textsLike(this.parts, unknown, lexicon.vocabulary, under, call);
    return { tokens, lexicon, under, values: valuesIn(rest, seen), sight };
  }

  /** The words of a question, and what is the same of two callers only where they may do and see the very same. */
  async sightOf(question: string, { principal }: Call): Promise<Pick<About, 'tokens' | 'sight'>> {
    const tokens = tokensOf(question.slice(0, longestQuestion), await loadLanguage()).slice(0, mostTokens);
    return { tokens, sight: JSON.stringify([rightsText(principal), closedText(this.parts.closedTo(principal))]) };
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
