import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { add, literal, type Patch, remove, replace } from '../../src/client/index.ts';
import { patch } from '../../src/knowledge/patch.ts';

test('a plain value is a literal, an id an entity', () => {
  expect(add('ex:France', 'schema:name', 'France')).toEqual({
    op: 'add',
    statement: {
      subject: { id: 'ex:France' },
      predicate: { id: 'schema:name' },
      object: { value: 'France' },
    },
  });
  expect(remove({ id: 'ex:France', type: 'schema:Country' }, 'schema:capital', { id: 'ex:Paris' })).toEqual({
    op: 'remove',
    statement: {
      subject: { id: 'ex:France', type: 'schema:Country' },
      predicate: { id: 'schema:capital' },
      object: { id: 'ex:Paris' },
    },
  });
});

test('a statement carries its graph, certainty and provenance', () => {
  const extras = { graph: 'ex:atlas', certainty: 0.9, provenance: { source: 'atlas' } };
  expect(replace('ex:France', 'ex:population', 68_000_000, extras).statement).toMatchObject(extras);
});

test('the service takes every patch that the helpers write', () => {
  const patches: Patch[] = [
    add('ex:a', 'ex:p', 0),
    add('ex:a', 'ex:p', false, { certainty: 0 }),
    add('ex:a', 'ex:p', literal('Deutschland', { language: 'de' })),
    add('ex:a', 'ex:p', literal('2025-01-01', { type: 'xsd:date' })),
    replace('ex:a', 'ex:p', { id: 'ex:b', type: 'ex:B' }, { graph: 'ex:g' }),
    remove('ex:a', 'ex:p', ''),
  ];
  expect(z.array(patch).safeParse(patches).error).toBeUndefined();
});
