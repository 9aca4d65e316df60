import { expect, test } from '@jest/globals';
import { deepestNesting, isNestedTooDeeply, nestingFault, requireShallow } from '../../src/calls/nesting.ts';

type Brackets = readonly [open: string, close: string];
const lists: Brackets = ['[', ']'];
const objects: Brackets = ['{"a":', '}'];

const nested = (levels: number, [open, close] = lists) => `${open.repeat(levels)}1${close.repeat(levels)}`;

test.each([{ kind: lists }, { kind: objects }])(
  'text of $kind may have so many levels and not one more',
  ({ kind }) => {
    expect(isNestedTooDeeply(nested(deepestNesting, kind))).toBe(false);
    expect(isNestedTooDeeply(nested(deepestNesting + 1, kind))).toBe(true);
  },
);

test('levels that are closed count no longer, and what stands in a string is none', () => {
  const many = (text: string) => `[${Array(200).fill(text).join()}]`;
  expect(isNestedTooDeeply(many('[]'))).toBe(false);
  expect(isNestedTooDeeply(many('{}'))).toBe(false);
  const brackets = '['.repeat(200);
  for (const text of [`"${brackets}"`, `"a\\"${brackets}"`, `"${brackets}`])
    expect(isNestedTooDeeply(text)).toBe(false);
  // A string that ends with a backslash ends.
  expect(isNestedTooDeeply(`["\\\\",${brackets}`)).toBe(true);
  expect(isNestedTooDeeply(`"a"${brackets}`)).toBe(true);
});

test('a value that is nested too deeply is told with the first steps to it', () => {
  expect(nestingFault(JSON.parse(nested(deepestNesting)))).toBeUndefined();
  expect(nestingFault({ bytes: Buffer.from('a') })).toBeUndefined();
  const fault = nestingFault({ b: 1, ['k'.repeat(50)]: JSON.parse(`[0,${nested(deepestNesting, objects)}]`) });
  const path = `${'k'.repeat(40)}[1].a.a.a.a.a.a`;
  expect(fault).toMatchObject({
    code: -32602,
    message: `Invalid params: ${path} is nested deeper than 100 levels`,
    data: { reason: 'invalid-params', issues: [{ path, message: 'is nested deeper than 100 levels' }] },
  });
});

test('text that is nested too deeply is refused, and what is no JSON is left to who parses it', () => {
  expect(() => requireShallow(nested(deepestNesting + 1))).toThrow('is nested deeper than 100 levels');
  requireShallow(nested(deepestNesting));
  requireShallow('['.repeat(deepestNesting + 1));
});
