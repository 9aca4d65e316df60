import { z } from 'zod';
import type { UnaryMethod } from '../calls/call.ts';
import { invalidParams, parseParams } from '../calls/params.ts';
import { alike, type Candidate, compare, type Question, questionOf } from '../graph/search/comparing.ts';
import { ranked } from '../graph/search/ranking.ts';
import { optional, text } from '../knowledge/patch.ts';
import type { FoundAgent, RegisteredAgent, RegisteredSkill } from '../wire/agents.ts';
import { answering, protocol, status } from './answering.ts';
import type { AgentStore } from './nodes/agentStore.ts';
import { agentOf } from './nodes/registered.ts';

const words = text(200);
const params = z.strictObject({
  words: optional(words),
  skill: optional(words),
  tag: optional(words),
  protocol: optional(protocol),
  status: optional(status),
  first: z.int().min(1).max(50).default(10),
});

/** Agents that the index finds and that are compared. */
const candidates = 200;
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
  return answering(async (raw, { principal: { tenant } }) => {
    const { first, skill, tag, words, ...wanted } = parseParams(params, raw);
    const question = questionOf([words, skill, tag].filter(Boolean).join(' '));
    if (question.words.length === 0) {
      throw invalidParams([{ path: ['words'], message: "has no word, and neither 'skill' nor 'tag' has one" }]);
    }
    const rows = await store.like(tenant, question.words, { ...wanted, first: candidates });
    const agents = new Map(rows.map((row) => [row.id, agentOf(row)]));
    const likest = ranked(question, compare(question, [...agents.values()].map(candidateOf)));
    const found = likest.flatMap(({ id }) => agents.get(id) ?? []);
    return {
      agents: found
        .map((agent) => ({ agent, exact: exactness(agent, skill, tag) }))
        .toSorted((one, other) => other.exact - one.exact)
        .slice(0, first)
        .map(({ agent }) => ({ ...agent, matchingSkills: matchingSkills(agent, question) })),
    };
  });
}

function candidateOf({ id, name, description, skills, tags }: RegisteredAgent): Candidate {
  const texts = [
    { value: name, weight: weights.name },
    { value: description, weight: weights.description },
    ...tags.map((value) => ({ value, weight: weights.tag })),
    ...skills.flatMap((skill) => [
      ...namesOf(skill).map((value) => ({ value, weight: weights.skill })),
      ...(skill.description === undefined ? [] : [{ value: skill.description, weight: weights.description }]),
    ]),
  ];
  return { id, texts, kinds: [] };
}

const namesOf = ({ id, name }: RegisteredSkill) => (id === name ? [id] : [id, name]);

/** 2 for the very skill, 1 for the very tag. */
function exactness({ skills, tags }: RegisteredAgent, skill: string | undefined, tag: string | undefined): number {
  const [wanted, wantedTag] = [skill?.toLowerCase(), tag?.toLowerCase()];
  const hasSkill = skills.some((each) => namesOf(each).some((name) => name.toLowerCase() === wanted));
  return (hasSkill ? 2 : 0) + (wantedTag !== undefined && tags.includes(wantedTag) ? 1 : 0);
}

function matchingSkills({ skills }: RegisteredAgent, question: Question): string[] {
  const likenessOf = (skill: RegisteredSkill) =>
    Math.max(...[...namesOf(skill), ...skill.tags].flatMap((each) => alike(question, each).words));
  return skills
    .map((skill) => ({ id: skill.id, likeness: likenessOf(skill) }))
    .filter(({ likeness }) => likeness >= meant)
    .toSorted((one, other) => other.likeness - one.likeness)
    .map(({ id }) => id);
}
