import { expect, test } from '@jest/globals';
import type { LogEntry, LoggedChange } from '../../../src/graph/updates/changeLog.ts';
import { ChangeClasses } from '../../../src/knowledge/subscribe/changeClasses.ts';

const change = (sequence: number): LoggedChange => ({
  sequence,
  changeId: `c${sequence}`,
  op: 'add',
  statement: { subject: { id: `s${sequence}` }, predicate: { id: 'p' }, object: { id: 'o' } },
  previous: [{ subject: { id: 'before' }, predicate: { id: 'p' }, object: { value: 1, type: 'urn:t' } }],
  timestamp: '2024-01-01T00:00:00.000Z',
  updateId: 'u',
  revision: sequence,
  sourceAgentId: 'ann',
});

/** The tenant and the ids of each time that the graph was asked. */
function world(log: LogEntry[]) {
  const asked: [string, string[]][] = [];
  let failing = false;
  const classes = new ChangeClasses(
    { read: async (_tenant, after) => log.filter(({ sequence }) => sequence > after) },
    async (tenant, ids) => {
      if (failing) throw new Error('away');
      asked.push([tenant, ids]);
      return new Map(ids.map((id) => [id, { type: `class of ${id}` }]));
    },
  );
  return { asked, classes, fail: (is: boolean) => (failing = is) };
}

test('subscribers of a tenant who come to a change at once share what is read of it', async () => {
  const { asked, classes } = world([]);
  const readers = [1, 2, 3].map(() => classes.reader('a'));
  const found = await Promise.all(readers.map((classesOf) => classesOf(change(5))));
  expect(found.map((each) => each.get('s5'))).toEqual(Array(3).fill({ type: 'class of s5' }));
  expect(asked).toEqual([['a', ['s5', 'o', 'before']]]);
});

test('a tenant is never told the classes of another', async () => {
  const { asked, classes } = world([]);
  await Promise.all(['a', 'b'].map((tenant) => classes.reader(tenant)(change(1))));
  expect(asked.map(([tenant]) => tenant)).toEqual(['a', 'b']);
});

test('a page of the log is read at once, and the next behind it', async () => {
  const { asked, classes } = world([change(1), { sequence: 2, erased: true }, change(3)]);
  const classesOf = classes.reader('a');
  for (const sequence of [1, 3, 4]) expect((await classesOf(change(sequence))).has(`s${sequence}`)).toBe(true);
  expect(asked.map(([, ids]) => ids)).toEqual([
    ['s1', 'o', 'before', 's3'],
    ['s4', 'o', 'before'],
  ]);
});

test('what could not be read is read again', async () => {
  const { classes, fail } = world([]);
  fail(true);
  await expect(classes.reader('a')(change(1))).rejects.toThrow('away');
  fail(false);
  expect((await classes.reader('a')(change(1))).has('s1')).toBe(true);
});
