import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { EXTENSION_URI } from '../../src/a2a/protocol/extension.ts';
import { useService } from '../support/setUp.ts';
import { pythonWithSdk } from './python/environment.ts';
import type { TaskJson } from './tasks.ts';

const run = promisify(execFile);
const python = await pythonWithSdk();

const service = useService({ GRPC_PORT: '0' });

/** An event of a stream as JSON; of a message that was only sent, there is one, the task. */
interface EventJson {
  task?: TaskJson;
  statusUpdate?: { status: TaskJson['status'] };
  artifactUpdate?: { artifact: { parts: { data: Record<string, unknown> }[] } };
}

/** What the client was answered, by the step that it asked in. */
interface Answers {
  card: {
    supportedInterfaces: { protocolBinding: string; protocolVersion: string }[];
    skills: { id: string }[];
  };
  watch: EventJson[];
  propose: EventJson[];
  change: EventJson[];
  get: TaskJson;
  list?: TaskJson[];
  cancel: TaskJson;
  end: EventJson[];
  send: EventJson[];
  stream: EventJson[];
  'knowledge/query': { activated: string; result: { data: unknown } };
}

async function answersOver(binding: string, version: string): Promise<Answers> {
  if (python.missing !== undefined) throw new Error(python.missing);
  const args = ['test/a2a/python/client.py', service.url, binding, version];
  const { stdout } = await run(python.command, args, { timeout: 300_000 });
  const lines = stdout.trim().split('\n');
  const steps = lines.map((line) => JSON.parse(line) as { step: string; answer: unknown });
  return Object.fromEntries(steps.map(({ step, answer }) => [step, answer])) as unknown as Answers;
}

const kindsOf = (events: EventJson[]) => events.flatMap((event) => Object.keys(event));
const dataOf = (events: EventJson[]) =>
  events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts.map(({ data }) => data) ?? []);

const ways = ['1.0', '0.3'].flatMap((version) =>
  ['JSONRPC', 'HTTP+JSON', 'GRPC'].map((binding) => [version, binding] as const),
);

(python.missing === undefined ? test : test.skip).each(ways)(
  'the official Python client finds A2A %s over %s on the card, sends, streams, cancels and queries',
  async (version, binding) => {
    const told = await answersOver(binding, version);

    expect(told.card.supportedInterfaces).toContainEqual(
      expect.objectContaining({ protocolBinding: binding, protocolVersion: version }),
    );
    expect(told.card.skills.map(({ id }) => id)).toEqual(expect.arrayContaining(['query', 'watch']));

    expect(told.watch[0]?.task?.status.state).toBe('TASK_STATE_SUBMITTED');
    const watched = told.watch[0]?.task?.id;
    expect(told.propose).toMatchObject([{ task: { status: { state: 'TASK_STATE_COMPLETED' } } }]);
    const statement = { object: { value: 'Parseltongue' } };
    expect(dataOf(told.change)).toMatchObject([{ op: 'add', statement }]);
    expect(told.get).toMatchObject({ id: watched, status: { state: 'TASK_STATE_WORKING' } });
    // 0.3 has no method that lists tasks.
    if (version === '1.0') expect(told.list?.map(({ id }) => id)).toContain(watched);
    expect(told.cancel).toMatchObject({ id: watched, status: { state: 'TASK_STATE_CANCELED' } });
    expect(told.end.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');

    const found = { countries: [{ id: expect.stringMatching(/^urn:python:/), name: 'Parseltongue' }] };
    const { data } = told['knowledge/query'].result;
    expect(data).toEqual(found);
    expect(told['knowledge/query'].activated).toBe(EXTENSION_URI);
    const sent = told.send[0]?.task;
    expect([sent?.status.state, sent?.artifacts?.[0]?.parts[0]?.data]).toMatchObject([
      'TASK_STATE_COMPLETED',
      { data },
    ]);
    expect(kindsOf(told.stream)).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
    expect(dataOf(told.stream)).toMatchObject([{ data }]);
  },
);
