import { type Alike, alike, type Compared, type Question } from './comparing.ts';
import { weightOf } from './words.ts';

/** What joins two candidates, by their ids, either way round. */
export interface Link {
  from: string;
  to: string;
  /** What the link is called. */
  name: string;
}

export interface Ranked {
  id: string;
  /** Of each text how like the question it is; 0 where it is not. */
  texts: number[];
}

/** A word that a candidate has less of than this makes the word no less rare. */
const counted = 0.5;
/** What the kind says beside the name. */
const kindWeight = 0.6;
/** What one text that is all of the question, and nothing else, is worth beside its words. */
const densityWeight = 0.5;
/** What it is worth that the words stand in their order. */
const phraseWeight = 0.5;
/** What a neighbour's word is worth beside one's own. */
const neighbourWeight = 0.5;

interface Scored extends Ranked {
  /** Of each word how well the candidate's own texts have it. */
  own: number[];
  /** The same, with its kinds. */
  words: number[];
  score: number;
}

/**
 * Candidates, likest first; those that are alike by their ids. Nothing but them has an influence. A neighbour lends the
 * words that it has, and with them a link what it is called.
 * @param known what each word says beside its rarity, 0 to 1
 * @param links between candidates; others are passed over
 */
export function ranked(
  question: Question,
  candidates: Compared[],
  { known = [], links = [] }: { known?: number[]; links?: Link[] } = {},
): Ranked[] {
  const own = candidates.map(({ texts }) =>
    question.words.map((_, index) => Math.max(...texts.map(({ words, weight }) => weight * (words[index] ?? 0)))),
  );
  const weights = weightsOf(question.words, own, known);
  const scored = candidates.map((each, index) => scoredByTexts(question, each, own[index] ?? [], weights));
  const lent = lentByNeighbours(question, scored, links, weights);
  return scored
    .map((each) => ({ ...each, score: each.score + neighbourWeight * (lent.get(each.id) ?? 0) }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}

/**
 * What each word says of what is meant, 1 in all: the rarer among the candidates the more, as BM25 counts rarity; by
 * its length, for among few every word is rare; and by what is known of it.
 */
function weightsOf(words: string[], found: number[][], known: number[]): number[] {
  const weights = words.map((word, index) => {
    const having = found.filter((each) => (each[index] ?? 0) >= counted).length;
    const rarity = Math.log(1 + (found.length - having + 0.5) / (having + 0.5));
    return rarity * weightOf(word) * (known[index] ?? 1);
  });
  const sum = weights.reduce((one, other) => one + other, 0);
  return weights.map((weight) => weight / sum);
}

function scoredByTexts(question: Question, { id, texts, kinds }: Compared, own: number[], weights: number[]): Scored {
  const words = own.map((has, index) => Math.max(has, ...kinds.map((kind) => kindWeight * (kind.words[index] ?? 0))));
  const whole = Math.max(...texts.map((text) => text.weight * wholeness(text, question, weights)));
  return {
    id,
    texts: texts.map((text) => text.weight * sumOf(text.words, weights)),
    own,
    words,
    score: sumOf(words, weights) + whole,
  };
}

/** How much of the question stands in one text, and in its order, and how little else. */
function wholeness({ words, places, density }: Alike, { pairs }: Question, weights: number[]): number {
  const has = (index: number) => (weights[index] ?? 0) * (words[index] ?? 0);
  const phrase = pairs
    .filter(([one, other]) => places[one] !== -1 && places[other] === (places[one] ?? 0) + 1)
    .reduce((sum, [one, other]) => sum + (has(one) + has(other)) / 2, 0);
  return densityWeight * density * sumOf(words, weights) + phraseWeight * phrase;
}

/** By the id of a candidate what the best of its neighbours has that it has not. */
function lentByNeighbours(question: Question, scored: Scored[], links: Link[], weights: number[]): Map<string, number> {
  const byId = new Map(scored.map((each) => [each.id, each]));
  const lent = new Map<string, number>();
  const lend = (from: Scored, to: Scored, link: number[]) => {
    // What is linked as asked, but to what is not like the question any more, is one of many.
    if (!from.own.some((has, index) => has > (to.own[index] ?? 0))) return;
    const gains = to.words.map((has, index) => Math.max(0, (from.own[index] ?? 0) - has, (link[index] ?? 0) - has));
    lent.set(to.id, Math.max(sumOf(gains, weights), lent.get(to.id) ?? 0));
  };
  for (const { from, to, name } of links) {
    const [one, other] = [byId.get(from), byId.get(to)];
    if (!one || !other || one === other) continue;
    const { words } = alike(question, name);
    lend(one, other, words);
    lend(other, one, words);
  }
  return lent;
}

function sumOf(values: number[], weights: number[]): number {
  return values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
}
