import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { UnaryMethod } from '../calls/call.ts';
import { invalidParams, parseParams } from '../calls/params.ts';
import { alike, type Candidate, type Compared, compare, type Question, questionOf } from '../graph/search/comparing.ts';
import { ranked } from '../graph/search/ranking.ts';
import { optional, text } from '../knowledge/patch.ts';
import type { FoundAgent, RegisteredAgent, RegisteredSkill } from '../wire/agents.ts';
import { answering, protocol, status } from './answering.ts';
import type { AgentStore } from './nodes/agentStore.ts';
import { type AgentTexts, agentOf } from './nodes/registered.ts';

const words = text(200);
const params = z.strictObject({
  words: optional(words),
  skill: optional(words),
  tag: optional(words),
  protocol: optional(protocol),
  status: optional(status),
  first: z.int().min(1).max(50).default(10),
});

/** Whether this asks for agents by what they are like, and not for all of them. */
export function isSearch(asked: Partial<Record<(typeof searched)[number], unknown>>): boolean {
  return searched.some((name) => asked[name] != null);
}

const searched = ['words', 'skill', 'tag'] as const;
/** Agents that the index finds and that are compared. */
const candidates = 200;
const comparedAtOnce = 10;
/** What a text of an agent says of whether it is meant. */
const weights = { skill: 1, tag: 0.9, name: 0.8, description: 0.5 };
/** From how like on a skill is told as one that is meant. */
const meant = 0.5;

/**
 * `agents/find`: the agents of the tenant that have what is looked for in their skills, tags, names and descriptions,
 * also where it is misspelt; the likest first. Who has the skill or the tag by its very name comes before.
 * @throws ConcordError -32600, -32602
 */
export function findMethod(store: AgentStore): UnaryMethod<{ agents: FoundAgent[] }> {
  return answering(params, async (raw, { principal: { tenant }, signal }) => {
    const { first, skill, tag, words, ...wanted } = parseParams(params, raw);
    const question = questionOf([words, skill, tag].filter(Boolean).join(' '));
    if (question.words.length === 0) {
      throw invalidParams([{ path: ['words'], message: "has no word, and neither 'skill' nor 'tag' has one" }]);
    }
    const named = { ...(skill !== undefined && { skill }), ...(tag !== undefined && { tag }) };
    const texts = await store.like(tenant, question.words, { ...wanted, ...named, first: candidates });
    const exactness = new Map(texts.map(({ id, hasSkill, hasTag }) => [id, (hasSkill ? 2 : 0) + (hasTag ? 1 : 0)]));
    const likest = ranked(question, await comparedOf(question, texts, signal))
      .map(({ id }) => ({ id, exact: exactness.get(id) ?? 0 }))
      .toSorted((one, other) => other.exact - one.exact)
      .slice(0, first);
    const rows = await store.some(
      tenant,
      likest.map(({ id }) => id),
    );
    return {
      agents: rows.map(agentOf).map((agent) => ({ ...agent, matchingSkills: matchingSkills(agent, question) })),
    };
  });
}

/** Compares a few at a time, so that long cards hold up nobody else. */
async function comparedOf(question: Question, texts: AgentTexts[], signal: AbortSignal): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (let from = 0; from < texts.length; from += comparedAtOnce) {
    if (from > 0) await nextTurn();
    signal.throwIfAborted();
    compared.push(...compare(question, texts.slice(from, from + comparedAtOnce).map(candidateOf)));
  }
  return compared;
}

function candidateOf({ id, name, description, tags, skillIds, skillTexts }: AgentTexts): Candidate {
  const weighed = (values: string[], weight: number) => values.map((value) => ({ value, weight }));
  const texts = [
    ...weighed([name], weights.name),
    ...weighed([description, ...skillTexts], weights.description),
    ...weighed(tags, weights.tag),
    ...weighed(skillIds, weights.skill),
  ];
  return { id, texts, kinds: [] };
}

const namesOf = ({ id, name }: RegisteredSkill) => (id === name ? [id] : [id, name]);

function matchingSkills({ skills }: RegisteredAgent, question: Question): string[] {
  const likenessOf = (skill: RegisteredSkill) =>
    Math.max(...[...namesOf(skill), ...skill.tags].flatMap((each) => alike(question, each).words));
  return skills
    .map((skill) => ({ id: skill.id, likeness: likenessOf(skill) }))
    .filter(({ likeness }) => likeness >= meant)
    .toSorted((one, other) => other.likeness - one.likeness)
    .map(({ id }) => id);
}
