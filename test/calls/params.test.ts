import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseParams, pathText } from '../../src/calls/params.ts';

const schema = z.object({ list: z.array(z.object({ n: z.int('is no whole number') })).default([]) });

function refusal(params: unknown): unknown {
  try {
    return parseParams(schema, params);
  } catch (error) {
    return error;
  }
}

test('absent params are those without members', () => {
  for (const params of [undefined, null, {}]) expect(parseParams(schema, params)).toEqual({ list: [] });
});

test('the faults are named with their paths, twenty at most, and the others counted', () => {
  const bad = (count: number) => ({ list: Array.from({ length: count }, () => ({ n: 'x' })) });
  expect(refusal({ list: [{ n: 1 }, { n: 1.5 }] })).toMatchObject({
    code: -32602,
    message: 'Invalid params: list[1].n is no whole number',
    data: { reason: 'invalid-params', issues: [{ path: 'list[1].n', message: 'is no whole number' }] },
  });
  expect(refusal(bad(20))).not.toHaveProperty('data.furtherIssues');
  const { data } = refusal(bad(25)) as { data: { issues: unknown[]; furtherIssues: number } };
  expect([data.issues.length, data.furtherIssues]).toEqual([20, 5]);
});

test.each([
  [['mutations', 3, 'statement'], 'mutations[3].statement'],
  [[0, 'a', 'b'], '[0].a.b'],
  [[], ''],
])('%j is written %s', (path, text) => {
  expect(pathText(path)).toBe(text);
});
