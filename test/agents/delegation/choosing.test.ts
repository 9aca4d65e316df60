import { expect, test } from '@jest/globals';
import { chosenAgent } from '../../../src/agents/delegation/choosing.ts';
import type { AgentStore } from '../../../src/agents/nodes/agentStore.ts';
import type { Call } from '../../../src/calls/call.ts';
import type { AgentStatus, FoundAgent } from '../../../src/wire/agents.ts';

const call = { principal: { tenant: 'blue' }, signal: new AbortController().signal } as Call;
const agent = (id: string, status: AgentStatus = 'up', skills = ['translate']) =>
  ({
    id,
    status,
    skills: skills.map((each) => ({ id: each, name: each, tags: [] })),
    tags: ['words'],
  }) as unknown as FoundAgent;

/** The agent that is chosen among some that the registry finds, the likest first. */
async function chosen(found: FoundAgent[], wanted: { capability?: string; task?: string }, hops: string[] = []) {
  const asked: unknown[] = [];
  const read: unknown[] = [];
  const store = {
    async find(key: { tenant: string; id: string }) {
      read.push(key);
      const one = found.find(({ id }) => id === key.id);
      const at = '2026-11-24T00:00:00Z';
      return (
        one && {
          ...one,
          skills: '[]',
          endpoints: '[]',
          tags: [],
          registeredAt: at,
          changedAt: at,
          statusSince: at,
          ...{ lastSeen: null, failure: null, cardUrl: null, credentials: null },
          card: '{}',
        }
      );
    },
  } as unknown as AgentStore;
  const find = async (params: unknown) => {
    asked.push(params);
    return { agents: found };
  };
  const { id } = await chosenAgent(
    { store, find },
    { to: undefined, capability: undefined, task: undefined, ...wanted },
    hops,
    call,
  );
  return { id, asked, read };
}

const reason = (error: { data: { reason: string } }) => error.data.reason;

test('the likest agent that can do it is chosen, one that is not down before one that is', async () => {
  const found = [agent('other', 'up', ['paint']), agent('down', 'down'), agent('unknown', 'unknown'), agent('up')];
  expect(await chosen(found, { capability: 'Translate' })).toMatchObject({
    id: 'unknown',
    asked: [{ skill: 'Translate', tag: 'Translate', first: 50 }],
    read: [{ tenant: 'blue', id: 'unknown' }],
  });
  expect((await chosen(found.slice(0, 2), { capability: 'translate' })).id).toBe('down');
  expect((await chosen(found, { capability: 'words', task: 'paint' })).id).toBe('other');
  await expect(chosen(found, { capability: 'levitate' }).catch(reason)).resolves.toBe('capability-mismatch');
});

test('who has handed the task on does not get it again, and that it would be the only one is told', async () => {
  const found = [agent('ana'), agent('bob')];
  expect((await chosen(found, { capability: 'translate' }, ['ana'])).id).toBe('bob');
  await expect(chosen(found, { capability: 'translate' }, ['ana', 'bob']).catch(reason)).resolves.toBe(
    'delegation-loop',
  );
});
