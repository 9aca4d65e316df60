import { z } from 'zod';
import { ErrorCode } from '../base/errors.ts';
import { parseParams } from '../calls/params.ts';
import { requireScope } from '../calls/scope.ts';
import { questionOf } from '../graph/search/comparing.ts';
import { wordsOf } from '../graph/search/words.ts';
import { type ClosedTo, conditionParams } from '../knowledge/conditions.ts';
import { text } from '../knowledge/patch.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { type EntitiesParts, entitiesFound } from './entitiesFound.ts';
import type { Skill } from './skill.ts';
import { vocabularyLike } from './vocabularyLike.ts';

export interface ExploreParts extends EntitiesParts {
  vocabulary: Vocabulary;
  /** What an entity's texts say of it, 0 to 1, by the IRI of their predicate; of others none is found. */
  textWeights: Map<string, number>;
  /** IRIs of the predicates that join entities. */
  linkPredicates: string[];
  closedTo: ClosedTo;
}

const { requiredCertainty, maxAgeSeconds } = conditionParams;
const params = z.strictObject({
  text: text(1_000).regex(/[\p{L}\p{M}\p{N}]/u, 'has no word'),
  first: z.int().min(1).max(100).default(20),
  requiredCertainty,
  maxAgeSeconds,
});

/** What a word still says of an entity that is the name of a class or predicate. */
const ofTerms = 0.5;

/**
 * `explore`: classes, predicates and entities like the words of a text. An entity is found and ranked by what the
 * caller sees of it, and by nothing else.
 */
export function exploreSkill(parts: ExploreParts): Skill {
  return {
    summary: 'Finds classes, predicates and entities by their names, also where these are misspelt',
    readsOnly: true,
    example: { skill: 'explore', text: 'Switzerland', first: 10 },
    parameters: params,
    textField: 'text',
    async run(input, call) {
      requireScope(call, 'knowledge:query', ErrorCode.KnowledgeQuery);
      const { text, first, ...conditions } = parseParams(params, input);
      const question = questionOf(text);
      const closed = parts.closedTo(call.principal);
      const isOpen = (iri: string) => !closed?.predicates.has(iri);
      const { classes, predicates, named } = vocabularyLike(parts.vocabulary, question, closed);
      const asked = {
        words: wordsOf(text),
        question,
        known: question.words.map((_, index) => 1 - (1 - ofTerms) * (named[index] ?? 0)),
        textWeights: new Map([...parts.textWeights].filter(([iri]) => isOpen(iri))),
        linkPredicates: parts.linkPredicates.filter(isOpen),
        first,
        conditions,
      };
      const entities = await entitiesFound(parts, asked, call);
      const data = { classes: classes.slice(0, first), predicates: predicates.slice(0, first), entities };
      return {
        state: 'completed',
        artifacts: [{ name: 'found', description: 'The likest first', data }],
        text: `Classes: ${data.classes.length}, predicates: ${data.predicates.length}, entities: ${entities.length}`,
      };
    },
  };
}
