import { expect, test } from '@jest/globals';
import { connect } from '../../../src/client/index.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const service = useService();
const database = useDatabase();

test('a workflow of 1,000 steps does each of them, and its progress is told', async () => {
  const concord = await connect(service.url);
  const steps = Array.from({ length: 1_000 }, (_, n) => ({
    ...{ id: `s${n}`, agent: 'concord/query', parameters: { query: '{ __typename }' } },
    ...(n % 100 > 0 && n % 100 < 10 && { depends: [`s${n - 1}`] }),
  }));
  const progress: number[] = [];
  for await (const event of concord.tasks.stream([{ data: { skill: 'coordinate', steps } }])) {
    const data = event.statusUpdate?.status.message?.parts[1]?.data as { workflow?: { progress: number } } | undefined;
    if (data?.workflow) progress.push(data.workflow.progress);
  }
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  expect([progress.at(-1), progress.length > 3]).toEqual([100, true]);
  const rows = await database.run(
    'READ',
    `MATCH (w:Task)<-[p:PART_OF]-(t:Task)
     RETURN w.state AS workflow, t.state AS state, count(*) AS tasks, count(DISTINCT p.step) AS steps,
       COUNT { (:Task)-[:DEPENDS_ON]->(:Task) } AS edges`,
  );
  expect(rows).toEqual([{ workflow: 'COMPLETED', state: 'COMPLETED', tasks: 1_000, steps: 1_000, edges: 90 }]);
});

test('of two workflows under one id one begins', async () => {
  const id = '3f2a5d0c-5b0f-4f5e-9a8e-0d4c8f1e7b11';
  const steps = [{ id: 's', agent: 'concord/query', parameters: { query: '{ __typename }' } }];
  const message = { role: 'user', parts: [{ type: 'data', data: { skill: 'coordinate', steps } }] };
  const sent = () => call(service.url, 'tasks/send', { id, message });
  const answers = await Promise.all([sent(), sent()]);
  expect(answers.map(({ error }) => error?.data.reason ?? 'begun').sort()).toEqual(['begun', 'task-under-way']);
  const again = await sent();
  expect(again.error?.code).toBe(-32004);
  const rows = await database.run('READ', 'MATCH (:Task {id: $id})<-[p:PART_OF]-() RETURN p.step AS step', { id });
  expect(rows).toEqual([{ step: 's' }]);
});
