import { expect, test } from '@jest/globals';
import type { Closed } from '../../../src/graph/names/closed.ts';
import type { Statement } from '../../../src/graph/statements/statement.ts';
import type { LogEntry, LoggedChange } from '../../../src/graph/updates/changeLog.ts';
import { ChangeClasses } from '../../../src/knowledge/subscribe/changeClasses.ts';
import { visibleChanges } from '../../../src/knowledge/subscribe/visibleChanges.ts';
import { localPrincipal, type Principal, visibleGraphs } from '../../../src/security/principal.ts';

const link = (subject: string, object: string, more: Partial<Statement> = {}): Statement => ({
  subject: { id: subject },
  predicate: { id: 'urn:knows' },
  object: { id: object },
  ...more,
});
const change = (sequence: number, statement: Statement, previous?: Statement[]): LoggedChange => ({
  sequence,
  changeId: `c${sequence}`,
  op: 'add',
  statement,
  ...(previous && { previous }),
  timestamp: '2024-01-01T00:00:00.000Z',
  updateId: 'u',
  revision: sequence,
  sourceAgentId: 'ann',
});

/** A service whose log and classes are these; `asked` has the ids that the graph was asked for. */
function world(types: Record<string, string | undefined>, log: LogEntry[] = []) {
  const asked: string[][] = [];
  const now: { closed?: Closed } = {};
  const read = async (_tenant: string, after: number) => log.filter(({ sequence }) => sequence > after);
  const classes = new ChangeClasses({ read }, async (_tenant, ids) => {
    asked.push(ids);
    return new Map(
      ids.flatMap((id) => (id in types ? [[id, types[id] === undefined ? {} : { type: types[id] }]] : [])),
    );
  });
  const seenBy = (principal: Principal) =>
    visibleChanges(() => now.closed, classes.reader(principal.tenant), principal);
  return { asked, now, seenBy };
}
const closing = (...[classes, predicates]: string[][]): Closed => ({
  classes: new Map(classes?.map((iri) => [iri, 'rule'])),
  predicates: new Map(predicates?.map((iri) => [iri, 'rule'])),
  labels: new Map(),
  types: new Map(),
  properties: new Map(),
});
const noSecrets = closing(['urn:Secret']);
const noLinks = closing([], ['urn:knows']);

test('a change in a graph that the principal does not see is nothing', async () => {
  const see = world({}).seenBy({ ...localPrincipal, graphs: visibleGraphs(['urn:g']) });
  expect(await see(change(1, link('a', 'b')))).toBeUndefined();
  const seen = change(2, link('a', 'b', { graph: 'urn:g' }));
  const { seenBy } = world({});
  expect(await seenBy({ ...localPrincipal, graphs: visibleGraphs(['urn:g']) })(seen)).toBe(seen);
});

test('a change with a closed predicate is nothing, and what was before loses such statements', async () => {
  const { now, seenBy, asked } = world({});
  now.closed = noLinks;
  const see = seenBy(localPrincipal);
  const open = link('a', 'b', { predicate: { id: 'urn:open' } });
  expect(await see(change(1, link('a', 'b')))).toBeUndefined();
  expect(await see(change(2, open, [link('a', 'c'), open]))).toMatchObject({ previous: [open] });
  expect(asked).toEqual([]);
});

test('a change that speaks of an entity of a closed class is nothing, whatever class its author gave', async () => {
  const { now, seenBy } = world({ a: undefined, b: 'urn:Open', s: 'urn:Secret' });
  now.closed = noSecrets;
  const see = seenBy(localPrincipal);
  expect(await see(change(1, link('a', 's')))).toBeUndefined();
  expect(await see(change(2, link('s', 'a')))).toBeUndefined();
  expect(await see(change(3, link('a', 's', { object: { id: 's', type: 'urn:Open' } })))).toBeUndefined();
  const seen = change(4, link('a', 'b'), [link('a', 's'), link('a', 'b')]);
  expect(await see(seen)).toEqual({ ...seen, previous: [link('a', 'b')] });
});

test('what gives place to what is closed is removed, without saying why, and what takes its place is added', async () => {
  const { now, seenBy } = world({ a: undefined, b: 'urn:Open', s: 'urn:Secret' });
  now.closed = noSecrets;
  const see = seenBy(localPrincipal);
  const why = { justification: 'a secret', taskId: 'a secret' };
  const gone = await see({ ...change(1, link('a', 's'), [link('a', 'b'), link('s', 'b')]), op: 'replace', ...why });
  expect(gone).toEqual({ ...change(1, link('a', 'b')), op: 'remove' });
  const come = await see({ ...change(2, link('a', 'b'), [link('a', 's')]), op: 'replace', ...why });
  expect(come).toEqual({ ...change(2, link('a', 'b')), op: 'add', ...why });
  const ofNothing = { ...change(3, link('a', 'b'), []), op: 'replace' } as const;
  expect(await see(ofNothing)).toEqual(ofNothing);
});

test('an entity that is not in the graph is closed, where a class is', async () => {
  const { now, seenBy } = world({ a: undefined });
  now.closed = noSecrets;
  expect(await seenBy(localPrincipal)(change(1, link('a', 'gone')))).toBeUndefined();
});

test('the graph is asked once for a page of the log, erased entries left out', async () => {
  const [one, two, four] = [change(1, link('a', 'b')), change(2, link('c', 'd')), change(4, link('e', 'f'))];
  const types = { a: undefined, b: undefined, c: undefined, d: undefined, e: undefined, f: undefined };
  const log: LogEntry[] = [one, two, { sequence: 3, erased: true }];
  const { now, seenBy, asked } = world(types, log);
  now.closed = noSecrets;
  const see = seenBy(localPrincipal);
  expect([await see(one), await see(two), await see(four)]).toEqual([one, two, four]);
  expect(asked).toEqual([
    ['a', 'b', 'c', 'd'],
    ['e', 'f'],
  ]);
});

test('what is closed is asked for at each change, for the policy may have become another', async () => {
  const { now, seenBy } = world({});
  const see = seenBy(localPrincipal);
  expect(await see(change(1, link('a', 'b')))).toBeDefined();
  now.closed = noLinks;
  expect(await see(change(2, link('a', 'b')))).toBeUndefined();
});

test('who sees all of a change gets the very same object, whatever else is closed to it', async () => {
  const { seenBy, now } = world({ a: 'urn:Open', b: 'urn:Open' });
  const see = seenBy(localPrincipal);
  const seen = change(1, link('a', 'b'), [link('a', 'b')]);
  expect(see(seen)).toBe(seen);
  now.closed = noSecrets;
  expect(await see(seen)).toBe(seen);
});
