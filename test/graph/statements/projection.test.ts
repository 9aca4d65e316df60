import { describe, expect, test } from '@jest/globals';
import { projectionOf } from '../../../src/graph/statements/projection.ts';
import type { LiteralObject } from '../../../src/graph/statements/statement.ts';
import type { CurrentStatement } from '../../../src/graph/statements/statementReader.ts';
import type { LiteralField, Scalar } from '../../../src/vocabulary/vocabulary.ts';

type Ranked = Omit<CurrentStatement, 'voices'>;

const field = (scalar: Scalar, list = false): LiteralField => ({
  kind: 'literal',
  name: 'f',
  predicate: 'urn:p:f',
  scalar,
  list,
  indexed: false,
  functional: false,
  certainty: 'LATEST',
});

const said = (
  value: LiteralObject['value'],
  { id = String(value), certainty, observedAt = 0 }: { id?: string; certainty?: number; observedAt?: number } = {},
): Ranked => ({
  id,
  observedAt,
  statement: {
    subject: { id: 's' },
    predicate: { id: 'urn:p:f' },
    object: { value, type: 't' },
    ...(certainty !== undefined && { certainty }),
  },
});

describe('the best of several', () => {
  const best = (...statements: Ranked[]) => projectionOf(field('String'), statements);

  test('is the most certain, and what states no certainty counts as certain', () => {
    expect(best(said('a', { certainty: 0.5, observedAt: 9 }), said('b', { certainty: 0.6 }))).toBe('b');
    expect(best(said('a', { certainty: 0.99, observedAt: 9 }), said('b'))).toBe('b');
    expect(best(said('a', { certainty: 0 }), said('b', { certainty: 0.1 }))).toBe('b');
  });

  test('then the newest, then the least statement id, whatever the order', () => {
    expect(best(said('a', { observedAt: 1 }), said('b', { observedAt: 2 }))).toBe('b');
    const [one, two] = [said('a', { id: '2' }), said('b', { id: '1' })];
    expect([best(one, two), best(two, one)]).toEqual(['b', 'b']);
  });

  test('passes over what does not fit the field', () => {
    expect(best(said(5), said('a', { certainty: 0.1 }))).toBe('a');
    expect(best(said(5))).toBeNull();
    expect(best()).toBeNull();
  });
});

test('a list holds every value once, best first', () => {
  const statements = [said('a', { certainty: 0.1 }), said('b'), said('b', { id: 'again', certainty: 0.5 })];
  expect(projectionOf(field('String', true), statements)).toEqual(['b', 'a']);
  expect(projectionOf(field('String', true), [])).toBeNull();
});

describe('a value is shown as the field has it', () => {
  const shown = (scalar: Scalar, value: LiteralObject['value']) => projectionOf(field(scalar), [said(value)]);

  test.each<[Scalar, LiteralObject['value'], string]>([
    ['String', '', ''],
    ['ID', 'x', 'x'],
    ['Int', 0, '0'],
    ['Int', -2_147_483_648, '-2147483648'],
    ['Int', 2_147_483_647, '2147483647'],
    ['Float', 1.5, '1.5'],
    ['Float', 3, '3'],
    ['Boolean', false, 'false'],
    ['Date', '2024-02-29', '2024-02-29'],
    ['Date', '0999-01-01', '0999-01-01'],
    ['DateTime', '2024-02-29T12:30:00Z', '2024-02-29T12:30:00Z'],
    ['DateTime', '2024-02-29T12:30+05:30', '2024-02-29T07:00:00Z'],
    ['DateTime', '2024-02-29T12:30:00.25Z', '2024-02-29T12:30:00.250000000Z'],
  ])('%s %p', (scalar, value, text) => {
    expect(String(shown(scalar, value))).toBe(text);
  });

  test.each<[Scalar, LiteralObject['value']]>([
    ['String', 5],
    ['Int', '5'],
    ['Int', 1.5],
    ['Int', 2_147_483_648],
    ['Float', '1.5'],
    ['Boolean', 'true'],
    ['Date', '2024-2-29'],
    ['Date', '2023-02-29'],
    ['Date', '2023-02-30'],
    ['Date', '2024-13-01'],
    ['DateTime', '2024-02-29T12:30:00'],
    ['DateTime', '2023-02-30T12:30:00Z'],
    ['DateTime', 'today'],
  ])('%s %p is not shown', (scalar, value) => {
    expect(shown(scalar, value)).toBeNull();
  });
});
