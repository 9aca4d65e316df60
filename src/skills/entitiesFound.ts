import type { UnaryMethod } from '../calls/call.ts';
import type { Database } from '../graph/database/database.ts';
import { type Compared, compare, type Question } from '../graph/search/comparing.ts';
import { type Link, ranked } from '../graph/search/ranking.ts';
import { entitiesLike } from '../graph/search/textIndex.ts';
import { queryFault } from '../knowledge/query/operations.ts';
import type { QueryResult } from '../knowledge/query/query.ts';
import type { SkillCall } from './skill.ts';
import { inWords, localName } from './vocabularyLike.ts';

export interface EntitiesParts {
  database: Database;
  /** `knowledge/query` */
  query: UnaryMethod<QueryResult>;
  timeoutMs: number;
}

export interface EntitiesAsked {
  /** As `wordsOf` gives them. */
  words: string[];
  question: Question;
  /** What each word of the question says beside its rarity, 0 to 1. */
  known: number[];
  /** What texts say of their entity, 0 to 1, by the IRI of their predicate. */
  textWeights: Map<string, number>;
  /** IRIs */
  linkPredicates: string[];
  first: number;
  conditions: { requiredCertainty?: number | undefined; maxAgeSeconds?: number | undefined };
}

/** An entity with what it is found by. */
export interface FoundEntity {
  id: string;
  /** IRI of its class */
  type: string | null;
  /** The likest first. */
  matches: { predicate: string; value: string; certainty: number | null }[];
}

/** Entities that the index is asked for, whatever of them the caller sees. */
const mostCandidates = 500;
/** Entities that are ranked, of those that the caller sees; more where more are asked for. */
const mostRanked = 100;
/** Entities between which links are looked for; more where more are asked for. */
const mostJoined = 50;
const page = 100;

/**
 * The entities of which the caller sees a text that is like the question, likest first. The index only says which
 * entities to read; their order comes of what is read of them.
 * @throws ConcordError as `knowledge/query`
 */
export async function entitiesFound(
  parts: EntitiesParts,
  asked: EntitiesAsked,
  call: SkillCall,
): Promise<FoundEntity[]> {
  const { question, known, first } = asked;
  if (asked.textWeights.size === 0) return [];
  const entities = await entitiesSeen(parts, asked, call);
  const candidates = entities.map(({ compared }) => compared);
  const byTexts = ranked(question, candidates, { known });
  const nearest = byTexts.slice(0, Math.max(first, mostJoined)).map(({ id }) => id);
  // A neighbour lends the words that it has itself: of one word there is none to lend.
  const joins = question.words.length > 1 && nearest.length > 1;
  const links = joins ? await linksAmong(parts, nearest, asked, call) : [];
  const likest = links.length > 0 ? ranked(question, candidates, { known, links }) : byTexts;
  const byId = new Map(entities.map((each) => [each.id, each]));
  return likest.slice(0, first).flatMap(({ id, texts: likes }) => {
    const entity = byId.get(id);
    if (!entity) return [];
    const matches = entity.texts
      .map((match, index) => ({ match, like: likes[index] ?? 0 }))
      .filter(({ like }) => like > 0)
      .sort((one, other) => other.like - one.like);
    return [{ id, type: entity.type, matches: matches.map(({ match }) => match) }];
  });
}

interface SeenEntity extends Pick<FoundEntity, 'id' | 'type'> {
  texts: FoundEntity['matches'];
  compared: Compared;
}

/** Those of the candidates that the caller sees a text of that is like the question, in the order of the index. */
async function entitiesSeen(parts: EntitiesParts, asked: EntitiesAsked, call: SkillCall): Promise<SeenEntity[]> {
  const candidates = await candidatesOf(parts, asked.words, call);
  const most = Math.max(asked.first, mostRanked);
  const seen: SeenEntity[] = [];
  for (let at = 0; at < candidates.length && seen.length < most; at += page)
    seen.push(...(await textsOf(parts, candidates.slice(at, at + page), asked, call)));
  return seen.slice(0, most);
}

const readTexts = `query ($ids: [ID!], $predicates: [String!]) {
  entities(where: { id: { in: $ids } }, limit: ${page}) {
    id type statements(predicate: $predicates, first: 50) { predicate object { value } certainty }
  }
}`;

interface ReadTexts extends Pick<FoundEntity, 'id' | 'type'> {
  statements: { predicate: string; object: { value: unknown }; certainty: number | null }[];
}

/** What the caller sees of these entities, in their order; without those of which nothing is like the question. */
async function textsOf(
  { query }: EntitiesParts,
  ids: string[],
  { question, textWeights, conditions }: EntitiesAsked,
  call: SkillCall,
): Promise<SeenEntity[]> {
  const variables = { ids, predicates: [...textWeights.keys()] };
  const { data } = await query({ query: readTexts, variables, ...conditions }, call);
  const read = ((data?.entities ?? []) as ReadTexts[]).map(({ id, type, statements }) => {
    const texts = statements.flatMap(({ predicate, object: { value }, certainty }) =>
      typeof value === 'string' ? [{ predicate, value, certainty }] : [],
    );
    const [compared] = compare(question, [
      {
        id,
        texts: texts.map(({ predicate, value }) => ({ value, weight: textWeights.get(predicate) ?? 0 })),
        kinds: type === null ? [] : [inWords(localName(type))],
      },
    ]);
    return compared ? [{ id, type, texts, compared }] : [];
  });
  const byId = new Map(read.flat().map((each) => [each.id, each]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const readLinks = `query ($ids: [ID!], $predicates: [String!]) {
  entities(where: { id: { in: $ids } }, limit: 100) {
    id statements(predicate: $predicates, first: 100) { predicate object { id } }
  }
}`;

interface ReadLinks {
  id: string;
  statements: { predicate: string; object: { id: string | null } }[];
}

/** The links among these entities that the caller sees. */
async function linksAmong(
  { query }: EntitiesParts,
  ids: string[],
  { linkPredicates, conditions }: EntitiesAsked,
  call: SkillCall,
): Promise<Link[]> {
  if (linkPredicates.length === 0) return [];
  const variables = { ids, predicates: linkPredicates };
  const { data } = await query({ query: readLinks, variables, ...conditions }, call);
  const among = new Set(ids);
  return ((data?.entities ?? []) as ReadLinks[]).flatMap(({ id: from, statements }) =>
    statements.flatMap(({ predicate, object: { id: to } }) =>
      to !== null && among.has(to) ? [{ from, to, name: inWords(localName(predicate)) }] : [],
    ),
  );
}

async function candidatesOf(
  { database, timeoutMs }: EntitiesParts,
  words: string[],
  { principal }: SkillCall,
): Promise<string[]> {
  try {
    return await entitiesLike(database, principal.tenant, words, { limit: mostCandidates, timeoutMs });
  } catch (error) {
    throw queryFault(error);
  }
}
