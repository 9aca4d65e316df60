import fc from 'fast-check';
import { schemaOrg, world } from '../../support/patches.ts';
import type { Patch } from './model.ts';

/** What one agent sends. */
export interface Wish {
  agent: string;
  patches: Patch[];
  /** The revision that it expects: none, the one that the step begins with, or one that has passed. */
  expects: 'any' | 'latest' | 'passed';
  /** How often it is sent at once, under one idempotency key. */
  copies: number;
  /** Whether it is sent under its key once more, after all else. */
  again: boolean;
}

/** Steps one after another; what is in one step is sent at the same time. */
export type Scenario = Wish[][];

// A space so small that agents meet.
const subjects = ['urn:s:1', 'urn:s:2'];
const xsd = 'http://www.w3.org/2001/XMLSchema#';
const word = (value: string) => ({ value, type: `${xsd}string` });
const objects: Record<string, Patch['statement']['object'][]> = {
  // Projected, as one value and as a list.
  [`${schemaOrg}name`]: [word('a'), word('b')],
  [`${world}nativeName`]: [word('a'), word('b'), word('c')],
  [`${world}population`]: [1, 2].map((value) => ({ value, type: `${xsd}integer` })),
  // Links, also to itself.
  [`${world}borders`]: [...subjects, 'urn:o'].map((id) => ({ id })),
  // Outside of the vocabulary: whatever looks alike.
  'urn:p:free': [
    word('1'),
    { value: 1, type: `${xsd}integer` },
    { value: '1', type: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString', language: 'en' },
    { id: '1' },
  ],
};

/** Every entity that a scenario may name. */
export const entityIds = [...subjects, 'urn:o', '1', 'urn:end'];

const statement = fc.constantFrom(...Object.keys(objects)).chain((predicate) =>
  fc.record(
    {
      subject: fc.constantFrom(...subjects).map((id) => ({ id })),
      predicate: fc.constant({ id: predicate }),
      object: fc.constantFrom(...(objects[predicate] ?? [])),
      graph: fc.constant('urn:g'),
      certainty: fc.constantFrom(0, 0.5, 1),
      provenance: fc.constantFrom<Record<string, unknown>[]>(
        { source: 'x' },
        { source: 'x', timestamp: '2020-01-01T00:00:00Z' },
        { timestamp: '2021-05-05T12:30:00+02:00', pages: [1, { of: 'y' }] },
      ),
    },
    { requiredKeys: ['subject', 'predicate', 'object'] },
  ),
);

const patch: fc.Arbitrary<Patch> = fc.record({
  op: fc.constantFrom('add', 'add', 'replace', 'remove'),
  statement,
});

const wish: fc.Arbitrary<Wish> = fc.record({
  agent: fc.constantFrom('ann', 'bob', 'eve'),
  patches: fc.array(patch, { minLength: 1, maxLength: 5 }),
  expects: fc.constantFrom('any', 'any', 'any', 'latest', 'passed'),
  copies: fc.constantFrom(1, 1, 2),
  again: fc.boolean(),
});

export const scenarios: fc.Arbitrary<Scenario> = fc.array(fc.array(wish, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 5,
});
