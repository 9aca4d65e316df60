import { expect, test } from '@jest/globals';
import { Audience } from '../../src/changes/audience.ts';
import { type ChangeWhere, compileFilter } from '../../src/changes/filter.ts';
import type { LogEntry } from '../../src/graph/updates/changeLog.ts';
import { loggedChange as change } from './loggedChange.ts';

/** An audience with a listener for each `where`, and the batches of sequence numbers that each has got. */
function audienceOf(...wheres: ChangeWhere[]) {
  const audience = new Audience();
  const heard: number[][][] = wheres.map(() => []);
  const leave = wheres.map((where, index) =>
    audience.add(compileFilter(where), (changes) => heard[index]?.push(changes.map(({ sequence }) => sequence))),
  );
  return { audience, heard, leave };
}

const log: LogEntry[] = [
  change(1),
  change(2, 't'),
  { sequence: 3, erased: true },
  change(4, 's', 'q'),
  change(5, 't', 'q'),
];

test('each gets what it asks for, by one call for what follows one another', () => {
  const wheres: ChangeWhere[] = [
    {},
    { subject: { eq: 's' } },
    { subject: { in: ['s', 't', 's'] } },
    { predicate: { eq: 'q' } },
    { predicate: { in: ['p', 'q'] }, subject: { in: ['t'] } },
    { subject: { eq: 's', in: ['t'] } },
    { or: [{ subject: { eq: 't' } }, { predicate: { eq: 'q' } }] },
    { subject: { in: [] } },
    { op: { eq: 'remove' } },
    { subject: { eq: null } },
  ];
  const { audience, heard } = audienceOf(...wheres);
  audience.tell(log);
  expect(heard).toEqual([[[1, 2, 4, 5]], [[1, 4]], [[1, 2, 4, 5]], [[4, 5]], [[2, 5]], [], [[2, 4, 5]], [], [], []]);
});

test('who asks for a class gets all that may have it', () => {
  const { audience, heard } = audienceOf(
    { subject: { eq: 's', type: { eq: 'urn:C' } } },
    { object: { type: { eq: 'urn:C' } } },
  );
  audience.tell(log);
  expect(heard).toEqual([[[1, 4]], [[1, 2, 4, 5]]]);
});

test('equal filters are asked once for all who have them', () => {
  const filter = compileFilter({ predicate: { eq: 'p' } });
  let asked = 0;
  const counting = {
    ...filter,
    touches: (...of: Parameters<typeof filter.touches>) => {
      asked += 1;
      return filter.touches(...of);
    },
  };
  const audience = new Audience();
  let heard = 0;
  for (let listener = 0; listener < 100; listener++) audience.add({ ...counting }, () => (heard += 1));
  audience.tell([change(1), change(2, 's', 'q')]);
  expect([asked, heard]).toEqual([1, 100]);
});

test.each<ChangeWhere>([{}, { subject: { eq: 's' } }, { predicate: { eq: 'p' } }])(
  'a filter %j that nobody has any more is asked no more',
  (where) => {
    const filter = compileFilter(where);
    let asked = 0;
    const audience = new Audience();
    const touches: typeof filter.touches = (...of) => {
      asked += 1;
      return filter.touches(...of);
    };
    audience.add({ ...filter, touches }, () => {})();
    audience.tell([change(1)]);
    expect(asked).toBe(0);
  },
);

test('who has left hears nothing, nor is anything kept of it, and those who ask alike hear on', () => {
  const { audience, heard, leave } = audienceOf(
    { subject: { eq: 's' } },
    { subject: { eq: 's' } },
    { op: { eq: 'add' } },
  );
  leave[0]?.();
  leave[0]?.();
  audience.tell([change(1)]);
  expect([heard, audience.isEmpty]).toEqual([[[], [[1]], [[1]]], false]);
  leave[1]?.();
  leave[2]?.();
  audience.tell([change(2)]);
  expect([heard, audience.isEmpty]).toEqual([[[], [[1]], [[1]]], true]);
  audience.add(compileFilter({ subject: { eq: 's' } }), (changes) =>
    heard[0]?.push(changes.map((each) => each.sequence)),
  );
  // Who left before does not take along who came later.
  leave[1]?.();
  audience.add(compileFilter({ subject: { eq: 's' } }), () => heard[2]?.push([0]))();
  audience.tell([change(3)]);
  expect([heard[0], heard[1], audience.isEmpty]).toEqual([[[3]], [[1]], false]);
});

test.each<ChangeWhere>([{}, { subject: { in: ['s', 't'] } }, { predicate: { eq: 'p' } }])(
  'nothing is kept of %j once all have left',
  (where) => {
    const { audience, leave } = audienceOf(where, where);
    for (const each of leave) {
      expect(audience.isEmpty).toBe(false);
      each();
    }
    expect(audience.isEmpty).toBe(true);
  },
);

test('one that leaves while the others are told hears nothing more', () => {
  const audience = new Audience();
  const heard: string[] = [];
  const leave = audience.add(compileFilter({}), () => {
    heard.push('first');
    leave();
  });
  audience.add(compileFilter({}), () => heard.push('second'));
  audience.tell([change(1)]);
  audience.tell([change(2)]);
  expect(heard).toEqual(['first', 'second', 'second']);
});

test('one that leaves takes nobody along who asks for the same subject otherwise', () => {
  const { audience, heard, leave } = audienceOf(
    { subject: { eq: 's' } },
    { subject: { eq: 's' }, op: { eq: 'add' } },
    { predicate: { eq: 'p' } },
    { predicate: { eq: 'p' }, op: { eq: 'add' } },
  );
  leave[0]?.();
  leave[2]?.();
  expect(audience.isEmpty).toBe(false);
  audience.tell([change(1)]);
  expect(heard).toEqual([[], [[1]], [], [[1]]]);
});

test('who asks for no subject at all is still there: what it could hear is read on', () => {
  const { audience, leave } = audienceOf({ subject: { in: [] } });
  expect(audience.isEmpty).toBe(false);
  leave[0]?.();
  expect(audience.isEmpty).toBe(true);
});

test('who asks by the operation hears also of what may be shown as another one', () => {
  const { audience, heard } = audienceOf({ op: { eq: 'add' } }, { op: { eq: 'remove' } });
  audience.tell([
    { ...change(1), op: 'replace', previous: [change(0).statement] },
    { ...change(2), op: 'replace' },
  ]);
  expect(heard).toEqual([[[1]], [[1]]]);
});
