import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Statement, statementIdOf } from '../../../src/graph/statements/statement.ts';
import type { CurrentStatement } from '../../../src/graph/statements/statementReader.ts';
import type { Voice } from '../../../src/graph/statements/voice.ts';
import {
  type Difference,
  type IdentifiedPatch,
  PatchedStatements,
} from '../../../src/knowledge/update/applyPatches.ts';
import type { CertaintyPolicy } from '../../../src/vocabulary/vocabulary.ts';

const now = Date.UTC(2024, 0, 1);
const idOf = (statement: Statement) => statementIdOf('t', statement);

const policies = new Map<string, CertaintyPolicy>([['p1', 'NOISY_OR']]);
const agents = ['ann', 'bob', 'cy'];

/**
 * A space so small that patches meet: two subjects, two predicates, two graphs, three objects, few certainties and
 * provenances.
 */
const statement: fc.Arbitrary<Statement> = fc
  .record({
    subject: fc.constantFrom({ id: 's1' }, { id: 's2' }),
    predicate: fc.constantFrom({ id: 'p1' }, { id: 'p2' }),
    object: fc.constantFrom({ value: 'a', type: 'string' }, { value: 'b', type: 'string' }, { id: 'o' }),
    graph: fc.constantFrom(undefined, 'g'),
    certainty: fc.constantFrom(undefined, 0, 0.5, 1),
    provenance: fc.constantFrom(undefined, { source: 'x' }, { timestamp: '2020-01-01T00:00:00Z', source: 'x' }),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never);

const patches = fc.array(
  fc
    .record({ op: fc.constantFrom('add' as const, 'remove' as const, 'replace' as const), statement })
    .map((patch): IdentifiedPatch => ({ ...patch, statementId: idOf(patch.statement) })),
  { maxLength: 12 },
);

/** What one update says. */
const updates = fc.record({ agent: fc.constantFrom(...agents), patches });

/** Each stated by one to three agents. */
const before = fc
  .uniqueArray(fc.tuple(statement, fc.array(statement, { minLength: 1, maxLength: 3 })), {
    selector: ([each]) => idOf(each),
    maxLength: 10,
  })
  .map((statements): CurrentStatement[] =>
    statements.map(([each, said]) => {
      const voices = said.map(({ certainty, provenance }, index) => ({
        sourceAgentId: agents[index] ?? '',
        ...(certainty !== undefined && { certainty }),
        ...(provenance !== undefined && { provenance }),
        observedAt: index,
      }));
      return { id: idOf(each), statement: standing(each, voices), observedAt: said.length - 1, voices };
    }),
  );

/** A statement as its voices make it. */
function standing({ subject, predicate, object, graph }: Statement, voices: Omit<Voice, 'observedAt'>[]) {
  const newest = voices.at(-1);
  const [one, ...more] = voices.map(({ certainty }) => certainty);
  const isSilent = [one, ...more].every((each) => each === undefined);
  const doubts = [one, ...more].map((each = 1) => 1 - each);
  const latest = newest?.certainty ?? 1;
  const combined = predicate.id === 'p1' ? 1 - doubts.reduce((all, doubt) => all * doubt, 1) : latest;
  return Object.fromEntries(
    Object.entries({
      ...{ subject, predicate, object, graph },
      certainty: more.length === 0 ? one : isSilent ? undefined : combined,
      provenance: newest?.provenance,
    }).filter(([, value]) => value !== undefined),
  ) as unknown as Statement;
}

/** What holds after a difference. */
function holding(start: CurrentStatement[], { created, revised, retired }: Difference): CurrentStatement[] {
  const gone = new Set([...revised, ...retired].map(({ id }) => id));
  return [...start.filter(({ id }) => !gone.has(id)), ...created, ...revised];
}

function applyPatches(start: CurrentStatement[], list: IdentifiedPatch[], at: number, agent = 'ann') {
  const outcome = new PatchedStatements(start, policies).apply(list, agent, at);
  return { ...outcome, all: holding(start, outcome) };
}

/** The naive model: a list of statements with their voices, searched from end to end, and the words of the design. */
function model(start: Pick<CurrentStatement, 'statement' | 'voices'>[], agent: string, list: IdentifiedPatch[]) {
  let holding = start.map(({ statement: what, voices }) => ({
    what,
    voices: voices as Omit<Voice, 'observedAt'>[],
  }));
  const same = (one: Statement, other: Statement) => idOf(one) === idOf(other);
  const events: { op: string; statement: Statement; previous: Statement[] }[] = [];
  for (const { op, statement: said } of list) {
    const held = holding.find(({ what }) => same(what, said));
    const others = held?.voices.filter(({ sourceAgentId }) => sourceAgentId !== agent) ?? [];
    const own = held?.voices.find(({ sourceAgentId }) => sourceAgentId === agent);
    if (op === 'remove') {
      if (!held) continue;
      holding = holding.filter((each) => each !== held);
      if (own && others.length > 0) {
        const what = standing(held.what, others);
        holding.push({ what, voices: others });
        events.push({ op: 'replace', statement: what, previous: [held.what] });
      } else events.push({ op, statement: held.what, previous: [] });
      continue;
    }
    const place = holding.filter(
      (each) =>
        each !== held &&
        each.what.subject.id === said.subject.id &&
        each.what.predicate.id === said.predicate.id &&
        each.what.graph === said.graph,
    );
    const gone = op === 'replace' ? place : [];
    // What an agent says again as it said it takes no place of its own.
    const isSame = own !== undefined && JSON.stringify(voice(own)) === JSON.stringify(voice(said));
    if (isSame && gone.length === 0) continue;
    const voices = isSame ? (held?.voices ?? []) : [...others, { ...said, sourceAgentId: agent }];
    const what = standing(said, voices);
    const previous = held && !isSame ? [held, ...gone] : gone;
    holding = [...holding.filter((each) => each !== held && !gone.includes(each)), { what, voices }];
    events.push({
      op: previous.length > 0 ? 'replace' : 'add',
      statement: what,
      previous: previous.map((each) => each.what),
    });
  }
  return { holding, events };
}

const voice = ({ certainty, provenance }: Pick<Statement, 'certainty' | 'provenance'>) => [
  certainty,
  provenance?.source,
  provenance?.timestamp,
];
const propertyOf = ({ statement: { subject, predicate: said } }: CurrentStatement) => `${subject.id} ${said.id}`;
const sorted = (statements: Statement[]) => [...statements].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
const statementsOf = (list: CurrentStatement[]) => sorted(list.map((each) => each.statement));

const voicesOf = (list: { voices: Omit<Voice, 'observedAt'>[] }[]) =>
  list.map(({ voices }) => JSON.stringify(voices.map((each) => [each.sourceAgentId, ...voice(each)]))).sort();

test('what holds afterwards, who says it, and each event, is what a naive reading of the design gives', () => {
  fc.assert(
    fc.property(before, updates, (start, { agent, patches: list }) => {
      const outcome = applyPatches(start, list, now, agent);
      const expected = model(start, agent, list);
      expect(statementsOf(outcome.all)).toEqual(sorted(expected.holding.map(({ what }) => what)));
      expect(voicesOf(outcome.all)).toEqual(voicesOf(expected.holding));
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
    fc.property(before, updates, (start, { agent, patches: list }) => {
      const outcome = applyPatches(start, list, now, agent);
      const { created, revised, retired, all: after, after: beside } = outcome;
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
      // What the log has of statements that were not there, also of those that were taken back at once.
      const logged = outcome.changes.filter(({ op, statement: of }) => op !== 'remove' && !was.has(idOf(of)));
      expect(new Set(outcome.stated.map(idOf))).toEqual(new Set(logged.map(({ statement: of }) => idOf(of))));
      expect(outcome.stated.map(idOf)).toEqual(expect.arrayContaining(ids(created)));
      // What is needed to project what became different.
      const touched = new Set([...created, ...revised, ...retired].map(propertyOf));
      expect(ids(beside)).toEqual(ids(after.filter((each) => touched.has(propertyOf(each)))));
    }),
    { numRuns: 3_000 },
  );
});

test('lists one after another come to what each comes to on its own, and in all to their difference', () => {
  fc.assert(
    fc.property(before, fc.array(updates, { maxLength: 5 }), (start, lists) => {
      const together = new PatchedStatements(start, policies);
      let alone = start;
      for (const { agent, patches: list } of lists) {
        const outcome = together.apply(list, agent, now);
        const expected = applyPatches(alone, list, now, agent);
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
