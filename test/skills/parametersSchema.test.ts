import { expect, test } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { StreamingMethod, UnaryMethod } from '../../src/calls/call.ts';
import { queryParams } from '../../src/knowledge/query/query.ts';
import { subscribeParams } from '../../src/knowledge/subscribe/subscribe.ts';
import { updateParams } from '../../src/knowledge/update/update.ts';
import { askSkill } from '../../src/skills/askSkill.ts';
import { explainSkill } from '../../src/skills/explainSkill.ts';
import { exploreSkill } from '../../src/skills/exploreSkill.ts';
import { parametersSchema } from '../../src/skills/parametersSchema.ts';
import { proposeSkill } from '../../src/skills/proposeSkill.ts';
import { querySkill } from '../../src/skills/querySkill.ts';
import type { Skill } from '../../src/skills/skill.ts';
import { validateSkill } from '../../src/skills/validateSkill.ts';
import { watchSkill } from '../../src/skills/watchSkill.ts';

const vocabulary = { classes: [] } as never;
const updates = updateParams({ maxMutations: 3, vocabulary });
const method = <Method>(params: unknown) => Object.assign(async () => ({}), { params }) as Method;
const unary = (params: unknown) => method<UnaryMethod<never>>(params);

const skills: Record<string, Skill> = {
  query: querySkill(unary(queryParams)),
  propose: proposeSkill(unary(updates)),
  validate: validateSkill(unary(updates)),
  explain: explainSkill(unary(queryParams)),
  explore: exploreSkill({} as never),
  ask: askSkill({} as never),
  watch: watchSkill(method<StreamingMethod<never>>(subscribeParams), { timeoutMs: 1, maxChanges: 1 }),
};

function validatorOf(skill: Skill): ValidateFunction {
  const ajv = new Ajv2020({ strictTypes: false, formats: { 'date-time': true, date: true } });
  return ajv.compile(parametersSchema(skill));
}

const exampleOf = ({ example }: Skill) => {
  const { skill: _, ...input } = example as Record<string, unknown>;
  return input;
};

test.each(Object.entries(skills))("%s's schema takes its example, and nothing that it has not heard of", (_, skill) => {
  const takes = validatorOf(skill);
  expect(takes(exampleOf(skill))).toBe(true);
  expect(takes({ ...exampleOf(skill), further: 1 })).toBe(false);
  expect(takes([])).toBe(false);
});

const statement = { subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { value: 1 } };
const patched = (changed: object) => ({ mutations: [{ op: 'add', statement: { ...statement, ...changed } }] });

const cases: [string, boolean, object][] = [
  ['query', true, { query: '{ a }', requiredCertainty: null, metadata: { asOf: '2026-01-01T00:00:00Z', own: [] } }],
  ['query', false, {}],
  ['query', false, { query: '{ a }', requiredCertainty: 1.5 }],
  ['query', false, { query: '{ a }', metadata: { asOf: 'yesterday' } }],
  ['query', false, { query: '{ a }', metadata: { asOf: '2026-01-01T00:00:00Z', asOfRevision: 1 } }],
  ['query', true, { query: '{ a }', metadata: { asOf: null, asOfRevision: 1 } }],
  ['propose', true, patched({ object: { id: 'urn:b', value: null, language: null } })],
  ['propose', false, patched({ object: { id: 'urn:b', value: 1 } })],
  ['propose', false, patched({ object: {} })],
  ['propose', false, patched({ object: { id: 'urn:b', language: 'en' } })],
  ['propose', false, patched({ certainty: 2 })],
  ['propose', false, { mutations: [] }],
  ['propose', false, { justification: 'none' }],
  ['propose', false, { mutations: Array(4).fill({ op: 'add', statement }) }],
  ['propose', false, { entities: [{ class: 'Country', key: 'FRA' }] }],
  ['explain', false, { subject: 'urn:a', first: 1001 }],
  ['explore', false, { text: ' – ' }],
  ['ask', false, { question: '' }],
  ['watch', false, { subscriptionQuery: 'x', metadata: { afterSequence: 1, since: '2026-01-01T00:00:00Z' } }],
];

test.each(cases)('%s: its schema and the skill itself agree (%s) on %j', (name, agreed, input) => {
  const skill = skills[name] as Skill;
  expect(skill.parameters?.safeParse(input).success).toBe(agreed);
  expect(validatorOf(skill)(input)).toBe(agreed);
});

test('whatever becomes of an example, its schema and the skill agree on it', () => {
  const all = Object.values(skills).map((skill) => ({ skill, takes: validatorOf(skill) }));
  const other = fc.constantFrom<unknown[]>(null, true, -1, 0.5, 7, '', 'x', {}, { id: 'urn:x' }, [], [1]);
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.infiniteStream(fc.nat(20)), other, ({ skill, takes }, turns, value) => {
      const input = structuredClone(exampleOf(skill));
      change(input, turns, value);
      expect([takes(input), input]).toEqual([skill.parameters?.safeParse(input).success, input]);
    }),
    { numRuns: 2_000 },
  );
});

/** Puts a value somewhere into an object, or takes a member out. */
function change(within: object, turns: Iterator<number>, value: unknown): void {
  const names = [...Object.keys(within), 'metadata', 'first'];
  const name = names[turns.next().value % names.length] as string;
  const members = within as Record<string, unknown>;
  const member = members[name];
  const turn = turns.next().value;
  if (typeof member === 'object' && member !== null && turn % 4 !== 0) change(member, turns, value);
  else if (turn % 3 === 0) Reflect.deleteProperty(members, name);
  else members[name] = value;
}
