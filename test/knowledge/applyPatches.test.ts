import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Statement, statementIdOf } from '../../src/graph/statement.ts';
import type { CurrentStatement } from '../../src/graph/statementReader.ts';
import {
  type Difference,
  type IdentifiedPatch,
  PatchedStatements,
} from '../../src/knowledge/applyPatches.ts';

const now = Date.UTC(2024, 0, 1);
const idOf = (statement: Statement) => statementIdOf('t', statement);

/** A space so small that patches meet: two subjects, two predicates, two graphs, three objects, few certainties and provenances. */
const statement: fc.Arbitrary<Statement> = fc
  .record({
    subject: fc.constantFrom({ id: 's1' }, { id: 's2' }),
    predicate: fc.constantFrom({ id: 'p1' }, { id: 'p2' }),
    object: fc.constantFrom({ value: 'a', type: 'string' }, { value: 'b', type: 'string' }, { id: 'o' }),
    graph: fc.constantFrom(undefined, 'g'),
    certainty: fc.constantFrom(undefined, 0, 0.5, 1),
    provenance: fc.constantFrom(
      undefined,
      { source: 'x' },
      { timestamp: '2020-01-01T00:00:00Z', source: 'x' },
    ),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never);

const patches = fc.array(
  fc
    .record({ op: fc.constantFrom('add' as const, 'remove' as const, 'replace' as const), statement })
    .map((patch): IdentifiedPatch => ({ ...patch, statementId: idOf(patch.statement) })),
  { maxLength: 12 },
);

const before = fc
  .uniqueArray(statement, { selector: idOf, maxLength: 10 })
  .map((statements): CurrentStatement[] =>
    statements.map((each) => ({ id: idOf(each), statement: each, observedAt: 1 })),
  );

/** What holds after a difference. */
function holding(start: CurrentStatement[], { created, revised, retired }: Difference): CurrentStatement[] {
  const gone = new Set([...revised, ...retired].map(({ id }) => id));
  return [...start.filter(({ id }) => !gone.has(id)), ...created, ...revised];
}

function applyPatches(start: CurrentStatement[], list: IdentifiedPatch[], at: number) {
  const outcome = new PatchedStatements(start).apply(list, at);
  return { ...outcome, all: holding(start, outcome) };
}

/** The naive model: a list of statements, searched from end to end, and the words of the design. */
function model(start: Statement[], list: IdentifiedPatch[]) {
  let holding = [...start];
  const same = (one: Statement, other: Statement) => idOf(one) === idOf(other);
  const events: { op: string; statement: Statement; previous: Statement[] }[] = [];
  for (const { op, statement: said } of list) {
    const held = holding.find((each) => same(each, said));
    const place = holding.filter(
      (each) =>
        each.subject.id === said.subject.id &&
        each.predicate.id === said.predicate.id &&
        each.graph === said.graph,
    );
    if (op === 'remove') {
      holding = holding.filter((each) => !same(each, said));
      if (held) events.push({ op, statement: held, previous: [] });
      continue;
    }
    const gone = op === 'replace' ? place : held ? [held] : [];
    // What is said again as it was takes no place of its own.
    const isSame = held !== undefined && JSON.stringify(voice(held)) === JSON.stringify(voice(said));
    const previous = isSame ? gone.filter((each) => each !== held) : gone;
    if (isSame && previous.length === 0) continue;
    holding = [...holding.filter((each) => !gone.includes(each)), isSame ? held : said];
    events.push({ op: previous.length > 0 ? 'replace' : 'add', statement: said, previous });
  }
  return { holding, events };
}

const voice = ({ certainty, provenance }: Statement) => [
  certainty,
  provenance?.source,
  provenance?.timestamp,
];
const propertyOf = ({ statement: { subject, predicate: said } }: CurrentStatement) =>
  `${subject.id} ${said.id}`;
const sorted = (statements: Statement[]) =>
  [...statements].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
const statementsOf = (list: CurrentStatement[]) => sorted(list.map((each) => each.statement));

test('what holds afterwards, and each event, is what a naive reading of the design gives', () => {
  fc.assert(
    fc.property(before, patches, (start, list) => {
      const outcome = applyPatches(start, list, now);
      const expected = model(
        start.map((each) => each.statement),
        list,
      );
      expect(statementsOf(outcome.all)).toEqual(sorted(expected.holding));
      expect(outcome.changes.map(({ op, statement: said }) => ({ op, statement: said }))).toEqual(
        expected.events.map(({ op, statement: said }) => ({ op, statement: said })),
      );
      expect(outcome.changes.map(({ previous = [] }) => sorted(previous))).toEqual(
        expected.events.map(({ previous }) => sorted(previous)),
      );
    }),
    { numRuns: 3_000 },
  );
});

test('created, revised and retired are the difference between before and after', () => {
  fc.assert(
    fc.property(before, patches, (start, list) => {
      const { created, revised, retired, all: after, after: beside } = applyPatches(start, list, now);
      const was = new Map(start.map((each) => [each.id, each]));
      const is = new Map(after.map((each) => [each.id, each]));
      const ids = (each: CurrentStatement[]) => each.map(({ id }) => id).sort();
      expect(is.size).toBe(after.length);
      expect(ids(created)).toEqual(ids(after.filter(({ id }) => !was.has(id))));
      expect(ids(retired)).toEqual(ids(start.filter(({ id }) => !is.has(id))));
      // At least what differs; also what was retracted and stated again as it was.
      const differing = after.filter(({ id, statement: said }) => {
        const old = was.get(id);
        return old !== undefined && JSON.stringify(voice(old.statement)) !== JSON.stringify(voice(said));
      });
      expect(ids(revised)).toEqual(expect.arrayContaining(ids(differing)));
      expect(ids(revised).every((id) => was.has(id) && is.has(id))).toBe(true);
      // What is needed to project what became different.
      const touched = new Set([...created, ...revised, ...retired].map(propertyOf));
      expect(ids(beside)).toEqual(ids(after.filter((each) => touched.has(propertyOf(each)))));
    }),
    { numRuns: 3_000 },
  );
});

test('lists one after another come to what each comes to on its own, and in all to their difference', () => {
  fc.assert(
    fc.property(before, fc.array(patches, { maxLength: 5 }), (start, lists) => {
      const together = new PatchedStatements(start);
      let alone = start;
      for (const list of lists) {
        const outcome = together.apply(list, now);
        const expected = applyPatches(alone, list, now);
        const told = ({ changes, created, revised, retired }: typeof outcome) => [
          changes.map(({ previous = [], ...change }) => ({ ...change, previous: sorted(previous) })),
          ...[created, revised, retired].map(statementsOf),
        ];
        expect(told(outcome)).toEqual(told(expected));
        alone = expected.all;
      }
      expect(statementsOf(holding(start, together.difference()))).toEqual(statementsOf(alone));
    }),
    { numRuns: 2_000 },
  );
});

test('the same patches a second time, if none takes back another, change nothing', () => {
  fc.assert(
    fc.property(before, patches, (start, list) => {
      const adds = [...new Map(list.map((patch) => [patch.statementId, patch])).values()].map((patch) => ({
        ...patch,
        op: 'add' as const,
      }));
      const once = applyPatches(start, adds, now);
      const twice = applyPatches(once.all, adds, now + 1);
      expect(twice.changes).toEqual([]);
      expect([...twice.created, ...twice.revised, ...twice.retired]).toEqual([]);
    }),
  );
});

describe('when a statement was observed', () => {
  const observed = (timestamp?: unknown) => {
    const said: Statement = {
      subject: { id: 's' },
      predicate: { id: 'p' },
      object: { id: 'o' },
      ...(timestamp !== undefined && { provenance: { timestamp } }),
    };
    const { after } = applyPatches([], [{ op: 'add', statement: said, statementId: 'x' }], now);
    return new Date(after[0]?.observedAt ?? 0).toISOString();
  };

  test.each<[unknown, string]>([
    [undefined, '2024-01-01T00:00:00.000Z'],
    [null, '2024-01-01T00:00:00.000Z'],
    ['2020-02-29', '2020-02-29T00:00:00.000Z'],
    ['2020-02-29T12:30', '2020-02-29T12:30:00.000Z'],
    ['2020-02-29T12:30:15', '2020-02-29T12:30:15.000Z'],
    ['2020-02-29T12:30:15.123456Z', '2020-02-29T12:30:15.123Z'],
    ['2020-02-29T12:30:15+05:30', '2020-02-29T07:00:15.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('%p is %s', (timestamp, expected) => {
    expect(observed(timestamp)).toBe(expected);
  });
});
