import { beforeAll, expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import type { Conditions } from '../../../src/graph/qualify/text/conditions.ts';
import { qualifiedVersions } from '../../../src/graph/qualify/versions.ts';
import { dateTime } from '../../../src/graph/statements/values.ts';
import { rowsOf } from '../../support/qualified.ts';
import { emptyGraph } from '../../support/service.ts';
import { useDatabase } from '../../support/setUp.ts';
import { closedOf } from './closedNames.ts';
import { base } from './vocabulary.ts';

const database = useDatabase();
const hour = (number: number) => Date.UTC(2024, 0, 1, number);
const at = (number: number) => dateTime(hour(number));
const north: Conditions = { tenant: 'north' };

/** A version that was made, and perhaps ended, at an hour that is its revision as well. */
const versions = [
  { id: 'first', made: 1, ended: 3 },
  { id: 'second', made: 3, graph: 'urn:g', certainty: 0.5, observedAt: at(3) },
  { id: 'upon it', made: 3, revision: 4 },
  { id: 'by nobody', made: 2, predicate: `${base}other`, update: 'of-south' },
  { id: 'of nobody', made: 3, objectTenant: 'south' },
  { id: null, made: 3 },
];

beforeAll(async () => {
  await emptyGraph();
  await database.run(
    'WRITE',
    `UNWIND $updates AS each
     CREATE (:Update {id: each.id, tenant: each.tenant, revision: each.revision, justification: each.why})`,
    {
      updates: [
        { id: 'u1', tenant: 'north', revision: 1, why: 'made' },
        { id: 'of-south', tenant: 'south', revision: 2, why: 'secret' },
        { id: 'u3', tenant: 'north', revision: 3, why: 'ended' },
      ],
    },
  );
  await database.run(
    'WRITE',
    `UNWIND ['north', 'south'] AS tenant CREATE (s:Entity {tenant: tenant, id: 'urn:s'})
     WITH s UNWIND $versions AS each
     WITH s, each WHERE s.tenant = 'north' OR each.id = 'second'
     CREATE (s)-[r:SAID]->(:Literal {tenant: coalesce(each.objectTenant, s.tenant), value: s.tenant})
     SET r = each.properties, r.statementId = CASE s.tenant WHEN 'south' THEN 'southern' ELSE each.id END`,
    {
      versions: versions.map(({ made, ended, ...each }) => ({
        ...each,
        properties: {
          predicate: each.predicate ?? 'urn:p',
          graph: each.graph ?? null,
          certainty: each.certainty ?? null,
          observedAt: each.observedAt ?? at(1),
          recordedAt: at(made),
          revision: neo4j.int(each.revision ?? made),
          updateId: each.update ?? `u${made}`,
          ...(ended && {
            retractedAt: at(ended),
            retractedRevision: neo4j.int(ended),
            retractedIn: `u${ended}`,
          }),
        },
      })),
    },
  );
});

async function read(conditions: Conditions = north, predicate: string | null = null) {
  const given = { subject: 'urn:s', predicate, first: neo4j.int(9), offset: neo4j.int(0) };
  return rowsOf(database, qualifiedVersions(conditions), given);
}
const ids = async (...call: Parameters<typeof read>) => (await read(...call)).map(({ id }) => id);

test('gives the versions of the tenant alone, newest first, and what is no statement not', async () => {
  const all = ['upon it', 'second', 'by nobody', 'first'];
  expect(await ids()).toEqual(all);
  expect(await ids(north, `${base}other`)).toEqual(['by nobody']);
  expect(await ids({ tenant: 'south' })).toEqual(['southern']);
  const values = new Set((await read()).map(({ object }) => (object as { value: string }).value));
  expect(values).toEqual(new Set(['north']));
});

test.each<[string, Partial<Conditions>, string[]]>([
  ['of enough certainty', { requiredCertainty: 0.6 }, ['upon it', 'by nobody', 'first']],
  ['observed since', { observedSince: new Date(hour(2)) }, ['second']],
  ['of the graphs that are visible', { graphs: { default: false, named: ['urn:g'] } }, ['second']],
  ['that are not closed', { closed: closedOf({ predicates: ['other'] }) }, ['upon it', 'second', 'first']],
])('gives the versions %s', async (_, conditions, expected) => {
  expect(await ids({ ...north, ...conditions })).toEqual(expected);
});

test('tells of the updates of the tenant, and of no other', async () => {
  const told = new Map((await read()).map(({ id, made, ended }) => [id, { made, ended }]));
  expect(told.get('first')).toMatchObject({
    made: { justification: 'made' },
    ended: { justification: 'ended' },
  });
  expect(told.get('by nobody')).toEqual({ made: null, ended: null });
});

test.each([
  ['time', (number: number) => ({ asOf: new Date(hour(number)) }), ['upon it']],
  ['revision', (number: number) => ({ asOfRevision: number }), []],
])('as of a %s, what was made or ended at that very moment is made, or ended', async (_, then, alsoThen) => {
  const [second, third] = [await read({ ...north, ...then(2) }), await read({ ...north, ...then(3) })];
  expect(second.map(({ id }) => id)).toEqual(['by nobody', 'first']);
  expect(second.at(-1)).toMatchObject({ end: null, ended: null });
  expect(third.map(({ id }) => id)).toEqual([...alsoThen, 'second', 'by nobody', 'first']);
  expect(third.at(-1)).toMatchObject({ end: { retractedIn: 'u3' }, ended: { id: 'u3' } });
  expect(await ids({ ...north, ...then(0) })).toEqual([]);
});
