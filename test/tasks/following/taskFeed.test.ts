import { expect, test } from '@jest/globals';
import type { StoredEvent } from '../../../src/tasks/following/followTasks.ts';
import { type Follower, TaskFeed } from '../../../src/tasks/following/taskFeed.ts';
import { useDatabase } from '../../support/setUp.ts';

const database = useDatabase();
const key = { tenant: 'followed', id: 'a task' };

/** Follows from the beginning; `failsAt` says at which event it fails the first time. */
function follower(failsAt?: number): { had: number[]; done: Promise<void>; follower: Follower } {
  const had: number[] = [];
  let fails = failsAt;
  let ended = () => {};
  const done = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const event = ({ index }: StoredEvent) => {
    if (index === fails) {
      fails = undefined;
      throw new Error('Neo4j is away');
    }
    had.push(index);
  };
  return { had, done, follower: { ...key, position: 0, event, ended: () => ended() } };
}

test('who fails at an event gets it again, then the rest and the end, and holds up no other', async () => {
  await database.run(
    'WRITE',
    `CREATE (:Task {tenant: $tenant, id: $id, state: 'COMPLETED', events: 3})
     FOREACH (index IN [0, 1, 2] | CREATE (:TaskEvent {tenant: $tenant, taskId: $id, index: index, event: '{}'}))`,
    key,
  );
  const faults: unknown[] = [];
  const feed = new TaskFeed({ database, pollMs: 10, onError: (error) => faults.push(error) });
  const [failing, other] = [follower(1), follower()];
  feed.follow(failing.follower);
  feed.follow(other.follower);
  await Promise.all([failing.done, other.done]);
  await feed.close();
  expect([failing.had, other.had]).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ]);
  expect(faults).toEqual([new Error('Neo4j is away')]);
});
