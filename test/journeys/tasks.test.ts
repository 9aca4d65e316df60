import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/graph/database.ts';
import type { UpdateResult } from '../../src/knowledge/propose.ts';
import type { QueryResult } from '../../src/knowledge/query.ts';
import type { Service } from '../../src/service.ts';
import { message03, type TaskJson } from '../a2a/tasks.ts';
import { artifactOf, faultOf, sendTask } from '../agents/tasks.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, schemaOrg } from '../support/patches.ts';
import { call, startTestService, testDatabase } from '../support/service.ts';

let service: Service;
let database: Database;
beforeAll(async () => {
  service = await startTestService({ ...identities, TENANTS: 'north,south', AGENT_TRUST: 'rumour=0.2' });
  database = testDatabase();
});
afterAll(async () => {
  await database.close();
  await service.close();
});

const atlas = bearerOf({ tenant: 'north', sub: 'atlas' });
const rumour = bearerOf({ tenant: 'north', sub: 'rumour' });
const fr = 'urn:test:fr';
const named = (name: string, certainty?: number) =>
  add(fr, `${schemaOrg}name`, name, {
    type: `${schemaOrg}Country`,
    ...(certainty !== undefined && { certainty }),
  });

const sent = (headers: Record<string, string>, data: object, further: object = {}) =>
  sendTask(service.url, headers, data, further);

test('a message proposes, the next one reads what came of it, in either version', async () => {
  const proposed = await sent(atlas, { skill: 'propose', mutations: [named('France', 0.9)] });
  expect(proposed.status.state).toBe('TASK_STATE_COMPLETED');
  const { updateId } = artifactOf<UpdateResult>(proposed);
  const rows = await database.run<{ task: string }>(
    'READ',
    'MATCH (t:Task)-[:MADE]->(:Update {id: $updateId}) RETURN t.id AS task',
    { updateId },
  );
  expect(rows).toEqual([{ task: proposed.id }]);

  const query = {
    skill: 'query',
    query: 'query ($id: ID!) { countries(where: { id: { eq: $id } }) { id name } }',
    variables: { id: fr },
    requiredCertainty: 0.8,
  };
  const answered = await sent(atlas, query);
  expect(faultOf(answered)).toBeUndefined();
  expect(artifactOf<QueryResult>(answered)).toMatchObject({
    data: { countries: [{ id: fr, name: 'France' }] },
    queryMetadata: { revision: 1, conditions: { requiredCertainty: 0.8 } },
  });
  const old = await call<TaskJson>(service.url, 'message/send', message03(query), atlas);
  expect(artifactOf<QueryResult>(old.result).data).toEqual({
    countries: [{ id: fr, name: 'France' }],
  });
});

test("a query of another tenant doesn't see it, and one without the scope is told so", async () => {
  const query = { skill: 'query', query: '{ entities { id } }' };
  const south = await sent(bearerOf({ tenant: 'south', sub: 'sam' }), query);
  expect(artifactOf<QueryResult>(south).data).toEqual({ entities: [] });
  const without = await sent(bearerOf({ tenant: 'north', sub: 'tess', scope: 'tasks' }), query);
  expect(without.status.state).toBe('TASK_STATE_FAILED');
  expect(faultOf(without)).toMatchObject({ code: -32010, data: { reason: 'missing-scope' } });
});

test('a proposal that a rule rejects leaves its task rejected, with the verdict', async () => {
  const task = await sent(atlas, { skill: 'propose', mutations: [named('Frankreich', 7)] });
  expect(task.status.state).toBe('TASK_STATE_REJECTED');
  const wrong = await sent(atlas, { skill: 'propose', mutations: [] });
  expect(wrong.status.state).toBe('TASK_STATE_REJECTED');
  expect(faultOf(wrong)).toMatchObject({ code: -32602, data: { issues: [{ path: 'mutations' }] } });
});

test('a proposal that is held leaves its task waiting for input, which another proposal may be', async () => {
  const held = await sent(rumour, { skill: 'propose', mutations: [named('La France')] });
  expect(held.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(artifactOf<UpdateResult>(held)).toMatchObject({ verificationStatus: 'Pending Review' });
  const again = await sent(rumour, { skill: 'propose', mutations: [named('Gallia')] }, { taskId: held.id });
  expect(again).toMatchObject({ id: held.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
  const { result } = await call<{ proposals: object[] }>(
    service.url,
    'knowledge/review',
    { action: 'list' },
    atlas,
  );
  expect(result.proposals).toHaveLength(2);
});
