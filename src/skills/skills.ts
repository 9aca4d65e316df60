import type { GraphQLSchema } from 'graphql';
import type { StreamingMethod, UnaryMethod } from '../calls/call.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../graph/database/database.ts';
import type { ClosedTo } from '../knowledge/conditions.ts';
import type { QueryResult } from '../knowledge/query/query.ts';
import type { ChangeEvent } from '../knowledge/subscribe/subscribe.ts';
import type { DryRunResult, UpdateResult } from '../knowledge/update/propose.ts';
import { Asker } from '../questions/answering/asker.ts';
import { AnsweredQuestions } from '../questions/model/answeredQuestions.ts';
import type { Model } from '../questions/model/model.ts';
import { predicatesOf, type Vocabulary } from '../vocabulary/vocabulary.ts';
import { askSkill } from './askSkill.ts';
import { explainSkill } from './explainSkill.ts';
import { exploreSkill } from './exploreSkill.ts';
import { proposeSkill } from './proposeSkill.ts';
import { querySkill } from './querySkill.ts';
import type { Skill, Skills } from './skill.ts';
import { textWeights } from './textWeights.ts';
import { validateSkill } from './validateSkill.ts';
import { watchSkill } from './watchSkill.ts';

export interface SkillsParts {
  /** The methods that the skills stand on. */
  query: UnaryMethod<QueryResult>;
  update: UnaryMethod<UpdateResult>;
  validate: UnaryMethod<DryRunResult>;
  subscribe: StreamingMethod<ChangeEvent>;
  database: Database;
  schema: GraphQLSchema;
  vocabulary: Vocabulary;
  closedTo: ClosedTo;
  config: Config;
  /** Absent where no language model is configured. */
  model: Model | undefined;
}

/** What skills are called, also those that are not set up. */
export const skillNames = [
  'query',
  'propose',
  'validate',
  'explain',
  'explore',
  'watch',
  'ask',
  'introspect',
  'explore-source',
  'query-source',
] as const;

/** The skills of the built-in agent, by name. */
export function builtInSkills(parts: SkillsParts): Skills {
  const { query, update, validate, subscribe, database, schema, vocabulary, closedTo, config, model } = parts;
  const { INTROSPECTION: introspection, TASK_WATCH_MS, TASK_WATCH_CHANGES } = config;
  const links = [...predicatesOf(vocabulary).values()].filter(({ field }) => field.kind === 'link');
  const skills = new Map<(typeof skillNames)[number], Skill>([
    ['query', querySkill(query)],
    ['propose', proposeSkill(update)],
    ['validate', validateSkill(validate)],
    ['explain', explainSkill(query)],
    [
      'explore',
      exploreSkill({
        database,
        query,
        // Where the schema isn't shown, the vocabulary isn't either.
        vocabulary: introspection ? vocabulary : { ...vocabulary, classes: [] },
        textWeights: textWeights(vocabulary),
        linkPredicates: links.map(({ iri }) => iri),
        closedTo,
        timeoutMs: config.QUERY_TIMEOUT_MS,
      }),
    ],
    ['watch', watchSkill(subscribe, { timeoutMs: TASK_WATCH_MS, maxChanges: TASK_WATCH_CHANGES })],
  ]);
  // How a question is read would tell the schema.
  if (introspection) {
    const asker = new Asker({
      ...{ database, query, schema, vocabulary, closedTo },
      textWeights: textWeights(vocabulary),
      timeoutMs: config.QUERY_TIMEOUT_MS,
      now: Date.now,
    });
    const byModel = model && { model, asker, query, schema, answered: new AnsweredQuestions() };
    skills.set('ask', askSkill({ asker, model: byModel }));
  }
  return skills;
}
