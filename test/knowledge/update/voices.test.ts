import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { listsOf, type Voice, voicesOf, withoutProvenance } from '../../../src/graph/statements/voice.ts';
import { certaintyOf, voiceOf, withoutVoice, withVoice } from '../../../src/knowledge/update/voices.ts';
import { type CertaintyPolicy, certaintyPolicies } from '../../../src/vocabulary/vocabulary.ts';

const said = (sourceAgentId: string, certainty?: number, observedAt = 0): Voice => ({
  sourceAgentId,
  ...(certainty !== undefined && { certainty }),
  observedAt,
});
const agents = (voices: Voice[]) => voices.map(({ sourceAgentId }) => sourceAgentId);

describe('the certainty of a statement', () => {
  test.each<[CertaintyPolicy, (number | undefined)[], number | undefined]>([
    ['LATEST', [0.9, 0.2], 0.2],
    ['MAX', [0.9, 0.2], 0.9],
    ['NOISY_OR', [0.5, 0.5, 0.5], 0.875],
    ['NOISY_OR', [0.5, 0], 0.5],
    ['NOISY_OR', [0, 0], 0],
    ['NOISY_OR', [0.5, 1], 1],
    ['LATEST', [0.9, undefined], 1],
    ['LATEST', [undefined, 0.2], 0.2],
    ['MAX', [0.9, undefined], 1],
    ['NOISY_OR', [0.9, undefined], 1],
  ])('by %s of %p is %p', (policy, certainties, expected) => {
    const voices = certainties.map((each, index) => said(`agent-${index}`, each));
    expect(certaintyOf(voices, policy)).toBe(expected);
  });

  test.each(certaintyPolicies)('by %s of one voice is what that says, to the last digit', (policy) => {
    expect(certaintyOf([said('a', 0.3)], policy)).toBe(0.3);
    expect(certaintyOf([said('a')], policy)).toBeUndefined();
  });

  test.each(certaintyPolicies)('by %s is not stated where no voice states one', (policy) => {
    expect(certaintyOf([said('a'), said('b')], policy)).toBeUndefined();
  });

  test('is from 0 to 1 whatever the voices and the policy, and by NOISY_OR no less than the highest', () => {
    const certainty = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(
        fc.constantFrom(...certaintyPolicies),
        fc.array(certainty, { minLength: 1 }),
        (policy, certainties) => {
          const voices = certainties.map((each, index) => said(`agent-${index}`, each));
          const combined = certaintyOf(voices, policy) ?? 1;
          const highest = Math.max(...certainties.map((each = 1) => each));
          expect(combined).toBeGreaterThanOrEqual(policy === 'LATEST' ? 0 : highest - 1e-12);
          expect(combined).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe('when a statement was observed', () => {
  const now = 7;
  test.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'],
    ['2026-01-02T03:04:05-0530', '2026-01-02T08:34:05Z'],
    ['2026-01-02T03:04', '2026-01-02T03:04:00Z'],
    ['2026-01-02T03:04:05.678', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02', '2026-01-02T00:00:00Z'],
  ])('its provenance says: %s is %s', (timestamp, instant) => {
    expect(voiceOf('a', { provenance: { timestamp } } as never, now).observedAt).toBe(Date.parse(instant));
  });

  test('is now where its provenance says nothing that is a text', () => {
    for (const provenance of [undefined, {}, { timestamp: 5 }])
      expect(voiceOf('a', { certainty: 0.5, provenance } as never, now)).toEqual({
        sourceAgentId: 'a',
        certainty: 0.5,
        provenance,
        observedAt: now,
      });
  });
});

describe('an agent that speaks', () => {
  const voices = [said('a', 0.5), said('b', 0.6)];

  test('has one voice, which becomes the newest', () => {
    expect(withVoice(voices, said('a', 0.7))).toEqual([said('b', 0.6), said('a', 0.7)]);
    expect(agents(withVoice(voices, said('c')))).toEqual(['a', 'b', 'c']);
  });

  test('and says what it said before changes nothing, whenever that was', () => {
    expect(withVoice(voices, said('a', 0.5, 99))).toBe(voices);
  });

  test('and states a certainty of 1 or provenance where it stated none says something new', () => {
    const silent = [said('a')];
    expect(withVoice(silent, said('a', 1))).toEqual([said('a', 1)]);
    expect(withVoice(silent, { ...said('a'), provenance: {} })).not.toBe(silent);
  });
});

describe('an agent that retracts', () => {
  test('takes its own voice and leaves those of others in their order', () => {
    expect(agents(withoutVoice([said('a'), said('b'), said('c')], 'b'))).toEqual(['a', 'c']);
  });

  test('leaves nothing where it is the last, or has no voice in it', () => {
    expect(withoutVoice([said('a')], 'a')).toEqual([]);
    expect(withoutVoice([said('a'), said('b')], 'c')).toEqual([]);
  });
});

describe('on the edge', () => {
  const voice = fc.record({
    certainty: fc.option(
      fc.double({ min: 0, max: 1, noNaN: true }).map((each) => each + 0),
      { nil: undefined },
    ),
    provenance: fc.option(fc.dictionary(fc.constantFrom('source', 'n'), fc.oneof(fc.string(), fc.integer())), {
      nil: undefined,
    }),
  });

  test('several voices come back as they were', () => {
    fc.assert(
      fc.property(fc.array(voice, { minLength: 2, maxLength: 5 }), (each) => {
        const voices = each.map(({ certainty, provenance }, index) =>
          voiceOf(
            `agent-${index}`,
            {
              ...{ subject: { id: 's' }, predicate: { id: 'p' }, object: { id: 'o' } },
              ...(certainty !== undefined && { certainty }),
              ...(provenance && { provenance: JSON.parse(JSON.stringify(provenance)) }),
            },
            1_700_000_000_000 + index,
          ),
        );
        const lists = listsOf(voices);
        expect(lists && voicesOf(lists)).toEqual(voices);
        expect(lists?.sourceCertainties).toEqual(each.map(({ certainty = 1 }) => certainty));
      }),
    );
  });

  test('one voice needs no lists', () => {
    expect(listsOf([said('a', 0.5)])).toBeUndefined();
  });

  test('what is erased goes from each voice, and what names nobody stays as it was', () => {
    const isErased = (provenance: unknown) => JSON.stringify(provenance ?? '').includes('alice');
    const lists = listsOf([
      { ...said('a', 0.5), provenance: { source: 'alice' } },
      { ...said('b'), provenance: { source: 'register' } },
    ]);
    const kept = { provenance: '{"source":"register"}', sourceDetails: lists?.sourceDetails ?? null };
    const left = withoutProvenance(kept, isErased);
    expect(left.provenance).toBe(kept.provenance);
    expect(left.sourceDetails?.join()).not.toContain('alice');
    expect(left.sourceDetails?.[0]).toContain('0.5');
    expect(left.sourceDetails?.[1]).toBe(kept.sourceDetails?.[1]);
    expect(withoutProvenance(left, isErased)).toBe(left);
    expect(withoutProvenance({ provenance: '{"by":"alice"}', sourceDetails: null }, isErased)).toEqual({
      provenance: null,
      sourceDetails: null,
    });
  });
});
