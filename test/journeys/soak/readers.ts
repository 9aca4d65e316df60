import { setTimeout as sleep } from 'node:timers/promises';
import type { Calling, Tenant } from './tenant.ts';

const query = '{ entities(limit: 5) { statements(first: 20) { updateId } } }';

interface Read {
  entities: { statements: { updateId: string }[] }[];
}

/** What came of what a reader asked. */
export interface Reading extends Calling {
  answered(): void;
  isOver(): boolean;
  pauseMs: number;
}

/** Asks over all doors in turns, until it is over, and keeps which updates the answers are of. */
export async function read(tenant: Tenant, other: Tenant, agent: string, reading: Reading): Promise<void> {
  const take = (data: Read | null | undefined) => {
    if (!data) return;
    for (const { statements } of data.entities) for (const { updateId } of statements) tenant.seen.add(updateId);
    reading.answered();
  };
  const ways = [
    async () => {
      const { result, error } = await tenant.rpc<{ data: Read }>(agent, 'knowledge/query', { query });
      if (error) refused(error.data, error);
      else take(result.data);
    },
    async () => {
      type Graphql = { data?: Read; errors?: { extensions: { retryable?: boolean } }[] };
      const { data, errors } = (await tenant.post(agent, '/graphql', { query })) as Graphql;
      if (errors) refused(errors[0]?.extensions, errors);
      else take(data);
    },
    // Of another tenant's task nothing is known.
    async () => {
      const id = other.tasks.at(-1);
      if (id === undefined) return;
      const { result, error } = await tenant.rpc(agent, 'GetTask', { id });
      if (result) reading.fault(`${tenant.name} has read a task of ${other.name}: ${JSON.stringify(result)}`);
      else if (error?.code !== -32001) refused(error?.data, error);
    },
  ];
  function refused(data: { retryable?: unknown } | undefined, what: unknown) {
    if (data?.retryable !== true) reading.fault(`a reader was answered ${JSON.stringify(what)}`);
  }
  for (let turn = 0; !reading.isOver(); turn++) {
    // A connection that is cut tells nothing.
    await ways[turn % ways.length]?.().catch(() => {});
    await sleep(reading.pauseMs);
  }
}
