import { LRUCache } from 'lru-cache';
import { functionWords } from '../functionWords.ts';
import type { Token } from '../words.ts';

/** A question with the query that has answered it. */
export interface AnsweredQuestion {
  question: string;
  query: string;
}

interface Kept extends AnsweredQuestion {
  roots: Set<string>;
}

/** Who asks, questions of each, characters of a query, and how long they are kept. */
const most = { callers: 500, questions: 100, characters: 2_000 };
const keptMs = 24 * 3_600_000;
/** Questions that are told. */
const mostSimilar = 10;

/**
 * Questions that were answered before, in this process and for a day, each by who may do and see the very same: nobody is
 * told what another has asked.
 */
export class AnsweredQuestions {
  private readonly bySight = new LRUCache<string, Kept[]>({ max: most.callers, ttl: keptMs });

  /** @param sight the same of two callers only where they may do and see the very same */
  keep(sight: string, { question, query }: AnsweredQuestion, tokens: readonly Token[]): void {
    if (query.length > most.characters) return;
    const known = this.bySight.get(sight) ?? [];
    const others = known.filter((each) => each.question !== question);
    this.bySight.set(sight, [...others, { question, query, roots: rootsOf(tokens) }].slice(-most.questions));
  }

  /** The likest of a caller's, by the words that they share. */
  similar(sight: string, tokens: readonly Token[]): AnsweredQuestion[] {
    const roots = rootsOf(tokens);
    return (this.bySight.get(sight) ?? [])
      .map((each) => ({ ...each, likeness: likenessOf(roots, each.roots) }))
      .filter(({ likeness }) => likeness > 0)
      .toSorted((one, other) => other.likeness - one.likeness)
      .slice(0, mostSimilar)
      .map(({ question, query }) => ({ question, query }));
  }
}

function rootsOf(tokens: readonly Token[]): Set<string> {
  const content = tokens.filter(({ word }) => !functionWords.has(word) && /[\p{L}\p{N}]/u.test(word));
  return new Set(content.map(({ root }) => root));
}

/** What share of all their words both have. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((root) => other.has(root)).length;
  return shared === 0 ? 0 : shared / (one.size + other.size - shared);
}
