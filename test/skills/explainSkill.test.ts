import { expect, test } from '@jest/globals';
import { bearerOf, identities } from '../support/identities.ts';
import { add, replace, schemaOrg, world } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { artifactOf, faultOf, sendTask } from './tasks.ts';

const service = useService({ ...identities, TENANTS: 'north,south' });

const atlas = bearerOf({ tenant: 'north', sub: 'atlas' });
const census = bearerOf({ tenant: 'north', sub: 'census' });
const fr = 'urn:test:fr';
const population = `${world}population`;

interface Explanation {
  versions: {
    object: { value: unknown };
    graph: string | null;
    retractedAt: string | null;
    sources: { sourceAgentId: string }[];
    update: { sourceAgentId: string; justification: string; taskId: string };
  }[];
}

test('explain tells the versions of a statement with agents, tasks and justifications, as far as the caller sees', async () => {
  const proposed = await sendTask(service.url, atlas, {
    skill: 'propose',
    mutations: [
      add(fr, population, 67_000_000, { type: `${schemaOrg}Country` }),
      add(fr, population, 1, { graph: 'urn:g:vault' }),
    ],
    justification: 'an old atlas',
  });
  await call(
    service.url,
    'knowledge/update',
    { mutations: [replace(fr, population, 68_000_000)], justification: 'census of 2024' },
    census,
  );

  const asked = { skill: 'explain', subject: fr, predicate: population };
  const open = bearerOf({ tenant: 'north', sub: 'open', graphs: ['default'] });
  const task = await sendTask(service.url, open, asked);
  expect(faultOf(task)).toBeUndefined();
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task.status.message?.parts[0]?.text).toBe(
    'Versions: 2, of statements: 2, of which hold: 1; stated by census, atlas',
  );
  const { versions } = artifactOf<Explanation>(task);
  expect(versions).toMatchObject([
    {
      object: { value: 68_000_000 },
      retractedAt: null,
      sources: [{ sourceAgentId: 'census' }],
      update: { sourceAgentId: 'census', justification: 'census of 2024' },
    },
    {
      object: { value: 67_000_000 },
      retractedAt: expect.any(String),
      update: { sourceAgentId: 'atlas', justification: 'an old atlas', taskId: proposed.id },
    },
  ]);
  const all = artifactOf<Explanation>(await sendTask(service.url, atlas, asked)).versions;
  expect(all.some(({ graph }) => graph === 'urn:g:vault')).toBe(true);

  const south = await sendTask(service.url, bearerOf({ tenant: 'south', sub: 'sam' }), asked);
  expect(artifactOf<Explanation>(south).versions).toEqual([]);
  expect(south.status.message?.parts[0]?.text).toBe('The caller sees no version of such a statement');
});

test('explain holds its input and its caller to the rules of queries', async () => {
  const wrong = await sendTask(service.url, atlas, { skill: 'explain', first: 0 });
  expect(wrong.status.state).toBe('TASK_STATE_REJECTED');
  expect(faultOf(wrong)).toMatchObject({ data: { issues: [{ path: 'subject' }, { path: 'first' }] } });
  const without = bearerOf({ tenant: 'north', sub: 'tess', scope: 'tasks' });
  const refused = await sendTask(service.url, without, { skill: 'explain', subject: fr });
  expect(faultOf(refused)).toMatchObject({ code: -32010, data: { reason: 'missing-scope' } });
});
