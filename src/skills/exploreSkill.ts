import { z } from 'zod';
import { ErrorCode } from '../base/errors.ts';
import type { UnaryMethod } from '../calls/call.ts';
import { parseParams } from '../calls/params.ts';
import { requireScope } from '../calls/scope.ts';
import type { Database } from '../graph/database/database.ts';
import { entitiesLike } from '../graph/search/textIndex.ts';
import { isLike, wordsOf } from '../graph/search/words.ts';
import { type ClosedTo, conditionParams } from '../knowledge/conditions.ts';
import { text } from '../knowledge/patch.ts';
import { queryFault } from '../knowledge/query/operations.ts';
import type { QueryResult } from '../knowledge/query/query.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { Skill, SkillCall } from './skill.ts';
import { vocabularyLike } from './vocabularyLike.ts';

export interface ExploreParts {
  database: Database;
  /** `knowledge/query` */
  query: UnaryMethod<QueryResult>;
  vocabulary: Vocabulary;
  /** IRIs of the predicates whose values entities are found by. */
  textPredicates: string[];
  closedTo: ClosedTo;
  timeoutMs: number;
}

/** An entity with what it is found by. */
interface FoundEntity {
  id: string;
  /** IRI of its class */
  type: string | null;
  matches: { predicate: string; value: string; certainty: number | null }[];
}

const { requiredCertainty, maxAgeSeconds } = conditionParams;
const params = z.strictObject({
  text: text(1_000).refine((said) => wordsOf(said).length > 0, 'has no word'),
  first: z.int().min(1).max(100).default(20),
  requiredCertainty,
  maxAgeSeconds,
});
type Exploration = z.output<typeof params>;

/** Entities that are looked at, whatever of them the caller sees. */
const mostCandidates = 500;
const page = 50;

/**
 * `explore`: classes, predicates and entities like the words of a text. An entity is found by what the caller sees of
 * it, and by nothing else.
 */
export function exploreSkill(parts: ExploreParts): Skill {
  return {
    summary: 'Finds classes, predicates and entities by their names, also where these are misspelt',
    example: { skill: 'explore', text: 'Switzerland', first: 10 },
    async run(input, call) {
      requireScope(call, 'knowledge:query', ErrorCode.KnowledgeQuery);
      const asked = parseParams(params, input);
      const words = wordsOf(asked.text);
      const closed = parts.closedTo(call.principal);
      const { classes, predicates } = vocabularyLike(parts.vocabulary, words, closed);
      const predicate = parts.textPredicates.filter((iri) => !closed?.predicates.has(iri));
      const entities = await found(parts, { predicate, words, asked }, call);
      const data = {
        classes: classes.slice(0, asked.first),
        predicates: predicates.slice(0, asked.first),
        entities,
      };
      return {
        state: 'completed',
        artifacts: [{ name: 'found', description: 'The likest first', data }],
        text: `Classes: ${data.classes.length}, predicates: ${data.predicates.length}, entities: ${entities.length}`,
      };
    },
  };
}

async function found(
  parts: ExploreParts,
  { predicate, words, asked }: Omit<SeenQuestion, 'ids'>,
  call: SkillCall,
): Promise<FoundEntity[]> {
  if (predicate.length === 0) return [];
  const candidates = await candidatesOf(parts, words, call);
  const entities: FoundEntity[] = [];
  for (let at = 0; at < candidates.length && entities.length < asked.first; at += page) {
    const ids = candidates.slice(at, at + page);
    entities.push(...(await seen(parts.query, { ids, predicate, words, asked }, call)));
  }
  return entities.slice(0, asked.first);
}

const read = `query ($ids: [ID!], $predicate: [String!]) {
  entities(where: { id: { in: $ids } }, limit: ${page}) {
    id type statements(predicate: $predicate, first: 50) { predicate object { value } certainty }
  }
}`;

interface ReadEntity extends Pick<FoundEntity, 'id' | 'type'> {
  statements: { predicate: string; object: { value: unknown }; certainty: number | null }[];
}

interface SeenQuestion {
  ids: string[];
  predicate: string[];
  words: string[];
  asked: Exploration;
}

/** Those of the entities that the caller sees a text of that is like the words, in the order of the ids. */
async function seen(
  query: UnaryMethod<QueryResult>,
  { ids, predicate, words, asked }: SeenQuestion,
  call: SkillCall,
): Promise<FoundEntity[]> {
  const { text: _, first: __, ...conditions } = asked;
  const { data } = await query({ query: read, variables: { ids, predicate }, ...conditions }, call);
  const entities = new Map(((data?.entities ?? []) as ReadEntity[]).map((each) => [each.id, each]));
  return ids.flatMap((id) => {
    const entity = entities.get(id);
    if (!entity) return [];
    const matches = entity.statements.flatMap(({ predicate, object: { value }, certainty }) =>
      typeof value === 'string' && isLike(words, value) ? [{ predicate, value, certainty }] : [],
    );
    return matches.length > 0 ? [{ id, type: entity.type, matches }] : [];
  });
}

async function candidatesOf(
  { database, timeoutMs }: ExploreParts,
  words: string[],
  { principal }: SkillCall,
): Promise<string[]> {
  try {
    return await entitiesLike(database, principal.tenant, words, { limit: mostCandidates, timeoutMs });
  } catch (error) {
    throw queryFault(error);
  }
}
