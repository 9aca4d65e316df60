import { expect, test } from '@jest/globals';
import type { Statement } from '../../../src/graph/statements/statement.ts';
import type { AppliedUpdate, UpdateRecord } from '../../../src/graph/updates/updateRecord.ts';
import { isAbout, isUpdateErased, mentions, remainsOf } from '../../../src/knowledge/purge/erasure.ts';

const text = (value: string) => ({ value, type: 'http://www.w3.org/2001/XMLSchema#string' });
const said = (
  subject: string,
  predicate: string,
  object: Statement['object'],
  provenance?: Record<string, unknown>,
): Statement => ({
  subject: { id: subject },
  predicate: { id: predicate },
  object,
  ...(provenance && { provenance }),
});

const whole = { subject: 'urn:ann' };
const ages = { subject: 'urn:ann', predicate: 'urn:age' };

test('a whole erasure takes what has the entity as its subject or its object, and no literal', () => {
  expect(isAbout(said('urn:ann', 'urn:age', text('7')), whole)).toBe(true);
  expect(isAbout(said('urn:bob', 'urn:knows', { id: 'urn:ann' }), whole)).toBe(true);
  expect(isAbout(said('urn:bob', 'urn:note', text('urn:ann')), whole)).toBe(false);
  expect(isAbout(said('urn:bob', 'urn:knows', { id: 'urn:cy' }), whole)).toBe(false);
});

test('an erasure of one predicate takes only what the entity is the subject of, with that predicate', () => {
  expect(isAbout(said('urn:ann', 'urn:age', text('7')), ages)).toBe(true);
  expect(isAbout(said('urn:ann', 'urn:name', text('Ann')), ages)).toBe(false);
  expect(isAbout(said('urn:bob', 'urn:age', { id: 'urn:ann' }), ages)).toBe(false);
});

test('of a change whose statement is erased nothing is left', () => {
  const statement = said('urn:ann', 'urn:age', text('8'));
  expect(remainsOf({ statement, previous: [said('urn:ann', 'urn:age', text('7'))] }, whole)).toEqual({
    isTouched: true,
    stripped: [],
    naming: [],
  });
});

test('what was there before loses only the statements that are erased', () => {
  const statement = said('urn:bob', 'urn:knows', { id: 'urn:cy' });
  const other = said('urn:bob', 'urn:knows', { id: 'urn:dan' });
  const previous = [said('urn:bob', 'urn:knows', { id: 'urn:ann' }), other];
  expect(remainsOf({ statement, previous }, whole)).toEqual({
    statement,
    previous: [other],
    isTouched: true,
    stripped: [],
    naming: [],
  });
  expect(remainsOf({ statement, previous: [other] }, whole)).toMatchObject({ isTouched: false });
  expect(remainsOf({ statement }, whole)).toEqual({ statement, isTouched: false, stripped: [], naming: [] });
});

test('a provenance that names the entity goes, now and before; a literal that names it stays and is told', () => {
  const bare = said('urn:bob', 'urn:note', text('ask urn:ann'));
  const statement = said('urn:bob', 'urn:note', text('ask urn:ann'), { source: ['from urn:ann'] });
  const before = said('urn:bob', 'urn:note', text('none'), { 'urn:ann': 1 });
  const clean = said('urn:bob', 'urn:note', text('other'), { source: 'urn:anna' });
  const remains = remainsOf({ statement, previous: [before, clean] }, whole);
  expect(remains).toEqual({
    statement: bare,
    previous: [said('urn:bob', 'urn:note', text('none')), clean],
    isTouched: false,
    stripped: [statement, before],
    naming: [statement],
  });
  expect(remainsOf({ statement, previous: [before] }, ages)).toMatchObject({ stripped: [], naming: [] });
});

test.each([
  ['urn:ann', true],
  ['see urn:ann.', true],
  ['(urn:ann)', true],
  ['urn:ann, urn:bob', true],
  ['urn:anna', false],
  ['xurn:ann', false],
  ['urn:ann/home', false],
  ['urn:ann.home', false],
  ['urn:ann?', true],
  ['urn:ann?x', false],
  ['ann', false],
])('whether %p names urn:ann: %p', (value, expected) => {
  expect(mentions(value, whole)).toBe(expected);
  expect(mentions({ deep: [1, null, { value }] }, whole)).toBe(expected);
  expect(mentions({ deep: { [value]: 1 } }, whole)).toBe(expected);
});

test('a name that is no IRI, and one of an erasure of a predicate, is looked for nowhere', () => {
  expect(mentions('ann', { subject: 'ann' })).toBe(false);
  expect(mentions('urn:ann', ages)).toBe(false);
});

test("signs within a name are no pattern's", () => {
  expect(mentions('urn:a+b', { subject: 'urn:a+b' })).toBe(true);
  expect(mentions('urn:aab', { subject: 'urn:a+b' })).toBe(false);
});

const proposed = { id: 'u', sourceAgentId: 'agent', proposedAt: 0 };
const applied: AppliedUpdate = {
  ...proposed,
  status: 'applied',
  revision: 1,
  statementsAffected: 1,
  affectedIds: [],
};
const pending = (...statements: Statement[]): UpdateRecord => ({
  ...proposed,
  status: 'pending',
  proposal: JSON.stringify(statements.map((statement) => ({ op: 'add', statement }))),
});

test.each<[string, UpdateRecord, boolean, boolean]>([
  ['nothing of it', applied, false, false],
  ['a proposal about it', pending(said('urn:ann', 'urn:age', text('7'))), true, true],
  ['a proposal about another predicate of it', pending(said('urn:ann', 'urn:name', text('Ann'))), true, false],
  ['a proposal about others that names it', pending(said('urn:bob', 'urn:note', text('urn:ann'))), true, false],
  ['an entity that it changed', { ...applied, affectedIds: ['urn:bob', 'urn:ann'] }, true, false],
  ['an entity that was named by what waits', { ...pending(), namedIds: ['urn:ann'] }, true, false],
  [
    'an entity that was named by what was rejected',
    { ...proposed, status: 'rejected', namedIds: ['urn:ann'] },
    true,
    true,
  ],
  [
    'others that were named by what was rejected',
    { ...proposed, status: 'rejected', namedIds: ['urn:bob'] },
    false,
    false,
  ],
  ['its justification', { ...applied, justification: 'as urn:ann said' }, true, false],
  ['the details of its verification', { ...applied, verificationDetails: 'urn:ann is closed' }, true, false],
  ['its idempotency key', { ...applied, idempotencyKey: 'urn:ann 1' }, true, false],
])('an update is erased for %s, as a whole and for a predicate', (_, update, asWhole, asPredicate) => {
  expect(isUpdateErased(update, whole)).toBe(asWhole);
  expect(isUpdateErased(update, ages)).toBe(asPredicate);
});
