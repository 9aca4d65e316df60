import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Closed } from '../../src/graph/names/closed.ts';
import { conditionParams, conditionsOf, wishesOf } from '../../src/knowledge/conditions.ts';
import type { Principal } from '../../src/security/principal.ts';

const shape = z.object(conditionParams);
const now = Date.UTC(2024, 0, 2);
const graphs = { default: false, named: ['urn:g'] };
const principal = { tenant: 'north', agentId: 'atlas', graphs } as Principal;
const none = new Map<string, string>();
const closed: Closed = { classes: none, predicates: none, labels: none, types: none, properties: none };
const of = (asked: object, who = principal) => conditionsOf(who, shape.parse(asked), closed, now);

test('a read is confined to the tenant, the graphs and what is open, whatever it asks', () => {
  const own = { tenant: 'north', graphs, closed };
  expect(of({})).toEqual(own);
  expect(of({ tenant: 'south', graphs: { default: true, named: [] }, closed: undefined })).toEqual(own);
  const { graphs: _, ...everywhere } = principal;
  expect(conditionsOf(everywhere as Principal, shape.parse({}), undefined, now)).toEqual({ tenant: 'north' });
});

test('what it asks becomes conditions, at the ends of their ranges too', () => {
  expect(of({ requiredCertainty: 0.25, maxAgeSeconds: 86_400 })).toMatchObject({
    requiredCertainty: 0.25,
    observedSince: new Date(Date.UTC(2024, 0, 1)),
  });
  expect(of({ requiredCertainty: 0, maxAgeSeconds: 0 })).toMatchObject({
    requiredCertainty: 0,
    observedSince: new Date(now),
  });
  expect(of({ requiredCertainty: 1 })).toMatchObject({ requiredCertainty: 1 });
  const asOf = '2024-01-01T02:00:00+02:00';
  expect(of({ metadata: { asOf } })).toMatchObject({ asOf: new Date(Date.UTC(2024, 0, 1)) });
  expect(of({ metadata: { asOfRevision: 0 } })).toMatchObject({ asOfRevision: 0 });
});

test.each([
  [{ requiredCertainty: -0.1 }, 'is below 0'],
  [{ requiredCertainty: 1.1 }, 'is above 1'],
  [{ maxAgeSeconds: -1 }, 'is below 0'],
  [{ metadata: { asOf: '2024-01-01T00:00:00' } }, 'is not an ISO 8601 time with an offset or Z'],
  [{ metadata: { asOfRevision: -1 } }, 'is below 0'],
  [{ metadata: { afterRevision: -1 } }, 'is below 0'],
  [{ metadata: { asOf: '2024-01-01T00:00:00Z', asOfRevision: 0 } }, 'is given beside asOf; give one of them'],
])('%j %s', (asked, message) => {
  expect(shape.safeParse(asked).error?.issues).toMatchObject([{ message }]);
});

test('its wishes are told apart from its conditions', () => {
  const wishes = (metadata: object) => wishesOf(shape.parse({ metadata }));
  expect(wishes({})).toEqual({});
  expect(wishes({ afterRevision: 0, consulted: true })).toEqual({ afterRevision: 0, consults: true });
  expect(wishes({ consulted: false })).toEqual({});
});
