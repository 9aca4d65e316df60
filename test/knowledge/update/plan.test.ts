import { expect, test } from '@jest/globals';
import type { CurrentStatement, KnownEntity } from '../../../src/graph/statements/statementReader.ts';
import type { UpdateRecord } from '../../../src/graph/updates/updateRecord.ts';
import type { Patch } from '../../../src/knowledge/patch.ts';
import { identifyPatches } from '../../../src/knowledge/update/applyPatches.ts';
import { type Before, type Proposal, subjectsOf, workOut } from '../../../src/knowledge/update/plan.ts';
import { add, remove, replace } from '../../support/patches.ts';

const now = 1_000;
const parts = { certaintyPolicies: new Map(), now: () => now };
const before = (more: Partial<Before> = {}): Before => ({
  ledger: { revision: 7, sequence: 40 },
  keysSince: 0,
  earlier: [],
  touched: [],
  known: new Map(),
  ...more,
});
const proposal = (id: string, patches: object[], more: Partial<Proposal> = {}): Proposal => ({
  tenant: 'north',
  update: { id, sourceAgentId: 'ann', taskId: 't', proposedAt: 5 },
  patches: identifyPatches('north', patches as Patch[]),
  ...more,
});
const name = (subject: string, value: string, extras: object = {}) =>
  add(subject, 'urn:name', { value, type: 'xsd:string' }, extras);
const link = (subject: string, object: string, extras: object = {}) => add(subject, 'urn:link', { id: object }, extras);
const recordOf = (id: string, status: string) => ({ id, status, sourceAgentId: 'ann', proposedAt: 1 }) as UpdateRecord;
const kinds = (plan: ReturnType<typeof workOut>) => plan.verdicts.map(({ kind }) => kind);

test('each of a group that changes something is one revision, and the others are none', () => {
  const group = [
    proposal('u1', [name('a', 'A'), link('a', 'b')]),
    proposal('u2', [name('a', 'A')]),
    proposal('u3', [remove('a', 'urn:link', { id: 'b' }), name('c', 'C')]),
  ];
  const plan = workOut(group, before(), parts);
  expect(plan.at).toBe(now);
  expect(plan.verdicts).toMatchObject([
    { kind: 'applied', warnings: [] },
    { kind: 'unchanged', revision: 8 },
    { kind: 'applied', warnings: [] },
  ]);
  expect(plan.steps.map(({ index, update, by }) => ({ index, update, by }))).toMatchObject([
    { index: 0, update: { id: 'u1', status: 'applied', revision: 8, statementsAffected: 2, affectedIds: ['a', 'b'] } },
    { index: 2, update: { id: 'u3', status: 'applied', revision: 9, statementsAffected: 2, affectedIds: ['a', 'c'] } },
  ]);
  expect(plan.steps.map(({ by }) => ({ ...by, revision: Number(by.revision) }))).toEqual([
    { updateId: 'u1', sourceAgentId: 'ann', taskId: 't', recordedAt: now, revision: 8 },
    { updateId: 'u3', sourceAgentId: 'ann', taskId: 't', recordedAt: now, revision: 9 },
  ]);
  expect(plan.steps.map(subjectsOf)).toEqual([
    ['a', 'a'],
    ['c', 'a'],
  ]);
});

test('an update that was made before is answered as it was, but for one under review that is approved', () => {
  const patches = [name('a', 'A')];
  const group = [
    proposal('u1', patches),
    proposal('u2', patches),
    proposal('u3', patches, { approvedBy: 'rev' }),
    proposal('u4', patches, { approvedBy: 'rev' }),
  ];
  const earlier = ['pending', 'applied', 'applied', 'pending'].map((status, at) => recordOf(`u${at + 1}`, status));
  const plan = workOut(group, before({ earlier }), parts);
  expect(plan.verdicts.slice(0, 3)).toEqual(earlier.slice(0, 3).map((update) => ({ kind: 'repeated', update })));
  expect(plan.verdicts[3]).toMatchObject({ kind: 'applied', update: { id: 'u4', reviewedBy: 'rev', revision: 8 } });
  expect(plan.steps).toHaveLength(1);
});

test('what is approved is brought to its end also where it changes nothing, and is said by its proposer', () => {
  const first = proposal('u1', [name('a', 'A')]);
  const again = proposal('u2', [name('a', 'A')], { approvedBy: 'rev' });
  const plan = workOut([first, again], before({ earlier: [undefined, recordOf('u2', 'pending')] }), parts);
  expect(kinds(plan)).toEqual(['applied', 'applied']);
  expect(plan.steps[1]).toMatchObject({
    update: { statementsAffected: 0, affectedIds: [] },
    by: { sourceAgentId: 'ann' },
  });
  expect(plan.steps[0]?.update).not.toHaveProperty('reviewedBy');
});

test('what is said in one more voice is affected too', () => {
  const [first, second] = ['ann', 'bob'].map((sourceAgentId) => {
    const said = proposal(sourceAgentId, [name('a', 'A')]);
    return { ...said, update: { ...said.update, sourceAgentId } };
  }) as [Proposal, Proposal];
  const { verdicts } = workOut([first, second], before(), parts);
  expect(verdicts[1]).toMatchObject({ kind: 'applied', update: { statementsAffected: 1, affectedIds: ['a'] } });
});

test('a revision that is expected is the one before the update, those of its group counted', () => {
  const expecting = (id: string, expectedRevision: number) => proposal(id, [name(id, 'x')], { expectedRevision });
  const plan = workOut(
    [expecting('u1', 7), expecting('u2', 7), expecting('u3', 8), expecting('u4', 0)],
    before(),
    parts,
  );
  expect(kinds(plan)).toEqual(['applied', 'conflict', 'applied', 'conflict']);
  expect(plan.verdicts[1]).toEqual({ kind: 'conflict', revision: 8 });
});

test('a class that one of a group gives is known to the next, and contradicting it is a change', () => {
  const known = new Map<string, KnownEntity>([['old', {}]]);
  const group = [
    proposal('u1', [name('a', 'A', { type: 'C' })]),
    proposal('u2', [name('a', 'A', { type: 'C' })]),
    proposal('u3', [name('a', 'A', { type: 'D' })]),
    proposal('u4', [remove('old', 'urn:name', { value: 'x' }), add('old', 'urn:name', { value: 'y' }, { type: 'C' })]),
  ];
  const plan = workOut(group, before({ known }), parts);
  expect(kinds(plan)).toEqual(['applied', 'unchanged', 'applied', 'applied']);
  const [first, contradicting, classifying] = plan.steps;
  expect(first).toMatchObject({ entities: [{ classIri: 'C', ids: ['a'] }], classified: [], contradicting: [] });
  expect(contradicting).toMatchObject({ entities: [], contradicting: [{ statement: { subject: { type: 'D' } } }] });
  expect(classifying).toMatchObject({ entities: [{ classIri: 'C', ids: ['old'] }], classified: ['old'] });
  expect(classifying && subjectsOf(classifying)).toEqual(['old', 'old']);
  // The map that was given stays as it was.
  expect([...known]).toEqual([['old', {}]]);
});

test('a class alone is a change, also of an entity that is not a subject', () => {
  const [held] = identifyPatches('north', [link('a', 'b') as Patch]);
  const touched: CurrentStatement[] = [
    {
      id: held?.statementId ?? '',
      statement: link('a', 'b').statement as CurrentStatement['statement'],
      observedAt: 0,
      voices: [{ sourceAgentId: 'ann', observedAt: 0 }],
    },
  ];
  const known = new Map<string, KnownEntity>([
    ['a', { type: 'C' }],
    ['b', {}],
  ]);
  const classified = add('a', 'urn:link', { id: 'b', type: 'D' });
  const [verdict] = workOut([proposal('u', [classified])], before({ touched, known }), parts).verdicts;
  expect(verdict).toMatchObject({ kind: 'applied', update: { affectedIds: ['b'] } });
});

test('the highest certainty of entities is known where they gain, and to be looked up where they may lose', () => {
  const certainties = (patches: object[], known: [string, KnownEntity][] = []) =>
    workOut([proposal('u', patches)], before({ known: new Map(known) }), parts).certainties;
  expect(certainties([name('a', 'A', { certainty: 0.4 })])).toEqual({ known: [{ id: 'a', highest: 0.4 }], lost: [] });
  expect(certainties([name('a', 'A')])).toEqual({ known: [], lost: [] });
  expect(certainties([link('a', 'b', { certainty: 0.4 }), name('a', 'A', { certainty: 0.2 })]).known).toEqual([
    { id: 'a', highest: 0.4 },
    { id: 'b', highest: 0.4 },
  ]);
  expect(certainties([name('a', 'A', { certainty: 0.4 })], [['a', { highest: 0.6 }]])).toEqual({ known: [], lost: [] });
  expect(certainties([name('a', 'A', { certainty: 0.8 })], [['a', { highest: 0.6 }]])).toEqual({
    known: [{ id: 'a', highest: 0.8 }],
    lost: [],
  });
  const group = (second: object) =>
    workOut(
      [proposal('u', [second])],
      before({
        touched: [
          {
            id: identifyPatches('north', [name('a', 'A') as Patch])[0]?.statementId ?? '',
            statement: { ...name('a', 'A').statement, certainty: 0.6 } as CurrentStatement['statement'],
            observedAt: 0,
            voices: [{ sourceAgentId: 'ann', certainty: 0.6, observedAt: 0 }],
          },
        ],
        known: new Map([['a', { highest: 0.6 }]]),
      }),
      parts,
    ).certainties;
  expect(group(remove('a', 'urn:name', { value: 'A', type: 'xsd:string' }))).toEqual({ known: [], lost: ['a'] });
  expect(group(name('a', 'A', { certainty: 0.2 }))).toEqual({ known: [], lost: ['a'] });
  expect(group(replace('a', 'urn:name', { value: 'B', type: 'xsd:string' }, { certainty: 0.6 }))).toEqual({
    known: [],
    lost: [],
  });
  expect(group(replace('a', 'urn:name', { value: 'B', type: 'xsd:string' }, { certainty: 0.9 }))).toEqual({
    known: [{ id: 'a', highest: 0.9 }],
    lost: [],
  });
});

/** When changes are told to be made, by a clock that says this, over a ledger whose last change has that time. */
const timeOf = (now: number, changedAt?: number) =>
  workOut(
    [],
    {
      ledger: { revision: 1, sequence: 1, ...(changedAt !== undefined && { changedAt }) },
      keysSince: 0,
      earlier: [],
      touched: [],
      known: new Map(),
    },
    { certaintyPolicies: new Map(), now: () => now },
  ).at;

test('a change is never told to be older than the one before it, though the clock of its replica is behind', () => {
  expect(timeOf(5_000, 4_000)).toBe(5_000);
  expect(timeOf(3_000, 4_000)).toBe(4_000);
  expect(timeOf(3_000)).toBe(3_000);
});

test('a clock that was far ahead once is not followed', () => {
  expect(timeOf(3_000, 63_000)).toBe(63_000);
  expect(timeOf(3_000, 63_001)).toBe(3_000);
});
