import { beforeAll, describe, expect, test } from '@jest/globals';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import { Random } from '../../graph/qualify/random.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useFolder, useService } from '../../support/setUp.ts';

const base = 'https://example.org/club#';
const [open, inner] = ['urn:g:open', 'urn:g:inner'];

const folder = useFolder({
  'club.graphql': `extend schema @vocabulary(base: "${base}")
    type Person @class {
      team: String @predicate(indexed: true)
      nick: String
      age: Int
      height: Float
      born: Date
      seen: DateTime
      member: Boolean
      salary: Int
      friends: [Person!]!
      ghosts: [Ghost!]!
    }
    type Ghost @class { fear: String }`,
  'policy.json': JSON.stringify({
    closed: [
      { rule: 'staff', predicates: [`${base}salary`], classes: [`${base}Ghost`], except: { agents: ['staff'] } },
    ],
  }),
});
const service = useService({
  ...identities,
  TENANTS: 'north',
  VOCABULARY: `${folder}/club.graphql`,
  POLICY: `${folder}/policy.json`,
});

const values = {
  team: ['red', 'blue', 'grün'],
  nick: ['Al', 'Bo', 'Cleo', 'Dorothea', 'Zo'],
  age: [-3, 20, 2_000_000_000, 2_100_000_000],
  height: [1.5, 1.75, 2.25],
  born: ['1999-12-31', '2001-02-03', '0800-01-01'],
  seen: ['2024-01-02T03:04:05.000Z', '2025-01-02T03:04:05.678Z'],
  member: [true, false],
};
type Field = keyof typeof values;
type Value = string | number | boolean;
const fields = Object.keys(values) as Field[];

interface Said {
  subject: string;
  field: Field;
  value: Value;
  certainty: number;
  graph: string;
}

/** People of whom up to two things are said of each field, each with another certainty, in one of two graphs. */
const random = new Random(14);
const people = Array.from({ length: 40 }, (_, index) => `urn:p:${index}`);
const said: Said[] = people.flatMap((subject) =>
  fields.flatMap((field) =>
    [0.3, 0.8]
      .filter(() => random.chance(0.6))
      .map((certainty) => {
        const shift = random.chance(0.5) ? 0.1 : 0;
        const value = random.pick<Value>(values[field]);
        return { subject, field, value, certainty: certainty + shift, graph: random.pick([open, inner]) };
      }),
  ),
);

beforeAll(async () => {
  const type = `${base}Person`;
  const mutations = [
    ...said.map(({ subject, field, value, certainty, graph }) =>
      add(subject, base + field, value, { type, certainty, graph }),
    ),
    ...people.map((subject, index) => add(subject, `${base}salary`, index, { type, graph: inner })),
    add('urn:ghost', `${base}fear`, 'light', { type: `${base}Ghost`, graph: open }),
  ];
  const { error } = await call(service.url, 'knowledge/update', { mutations }, bearer('staff'));
  expect(error).toBeUndefined();
});

const bearer = (sub: string, graphs?: string[]) => bearerOf({ tenant: 'north', sub, ...(graphs && { graphs }) });

interface Reader {
  agent: string;
  graphs?: string[];
  requiredCertainty?: number;
}

async function ask(text: string, { agent, graphs, requiredCertainty }: Reader) {
  const params = { query: text, ...(requiredCertainty !== undefined && { requiredCertainty }) };
  const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', params, bearer(agent, graphs));
  if (error) throw new Error(JSON.stringify(error));
  return { ...result, data: result.data ?? {} };
}

type Row = Partial<Record<Field, Value>>;

/** What a reader sees of each person of whom they see anything. */
function rowsFor({ agent, graphs, requiredCertainty = 0 }: Reader): Row[] {
  const seen = said.filter(
    ({ graph, certainty }) => (graphs?.includes(graph) ?? true) && certainty >= requiredCertainty,
  );
  // All have a salary in the inner graph, of which only the staff knows. Without a condition an entity is there anyway.
  const isThere = (subject: string) =>
    (graphs === undefined && (agent === 'staff' || requiredCertainty === 0)) ||
    seen.some((each) => each.subject === subject);
  return people.filter(isThere).map((subject) => {
    const best = (field: Field) =>
      seen
        .filter((each) => each.subject === subject && each.field === field)
        .sort((one, other) => other.certainty - one.certainty)[0]?.value;
    return Object.fromEntries(fields.map((field) => [field, best(field)]));
  });
}

interface Group {
  keys: Record<string, Value | null>;
  count: number;
  aggregate: Record<string, Record<string, Value | null>>;
}

const smaller = <T>(one: T, other: T) => (one < other ? -1 : one > other ? 1 : 0);

/** The groups of rows, with all that can be told of each. */
function groupsOf(rows: Row[], keys: Field[]): Group[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify(keys.map((each) => row[each] ?? null));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].map(([key, members]) => {
    const has = (field: Field) => members.flatMap((each) => each[field] ?? []);
    const numbers = (field: Field) => {
      const all = has(field) as number[];
      const sum = all.reduce((one, other) => one + other, 0);
      return { ...ends(field), sum, average: all.length > 0 ? sum / all.length : null };
    };
    const ends = (field: Field) => {
      const sorted = has(field).toSorted((one, other) =>
        typeof one === 'number' ? one - Number(other) : smaller(one, other),
      );
      return { min: sorted[0] ?? null, max: sorted.at(-1) ?? null, distinct: new Set(sorted).size };
    };
    const texts = (has('nick') as string[]).toSorted((one, other) => one.length - other.length || smaller(one, other));
    const longest = texts.find((each) => each.length === texts.at(-1)?.length) ?? null;
    const parts: Value[] = JSON.parse(key);
    return {
      keys: Object.fromEntries(keys.map((each, at) => [each, parts[at] ?? null])),
      count: members.length,
      aggregate: {
        nick: { shortest: texts[0] ?? null, longest, distinct: new Set(texts).size },
        age: numbers('age'),
        height: numbers('height'),
        born: ends('born'),
        seen: ends('seen'),
        member: { distinct: new Set(has('member')).size },
      },
    };
  });
}

const aggregate = `aggregate {
  nick { shortest longest distinct } age { min max sum average distinct } height { min max sum average distinct }
  born { min max distinct } seen { min max distinct } member { distinct } }`;

const readers: [string, Reader][] = [
  ['all', { agent: 'staff' }],
  ['what is certain enough', { agent: 'staff', requiredCertainty: 0.5 }],
  ['what is not closed', { agent: 'guest', requiredCertainty: 0.35 }],
  ['one graph', { agent: 'guest', graphs: [open] }],
  ['what is certain enough in one graph', { agent: 'guest', graphs: [open], requiredCertainty: 0.85 }],
];

const inOneOrder = (groups: Group[]) =>
  groups.toSorted((one, other) => smaller(JSON.stringify(one.keys), JSON.stringify(other.keys)));

describe.each(readers)('groups for whom sees %s', (_, reader) => {
  test.each([['team'], ['team member'], ['born'], ['seen height']])(
    'tell what the members by %s come to',
    async (of) => {
      const { data } = await ask(`{ peopleGroupBy { count keys { ${of} } ${aggregate} } }`, reader);
      const found = data.peopleGroupBy as Group[];
      const expected = groupsOf(rowsFor(reader), of.split(' ') as Field[]);
      expect(expected.length).toBeGreaterThan(1);
      expect(inOneOrder(found)).toEqual(
        inOneOrder(expected).map((each) => ({
          ...each,
          aggregate: { ...each.aggregate, height: near(each.aggregate.height), age: near(each.aggregate.age) },
        })),
      );
    },
  );
});

/** Averages and sums may differ in their last digit. */
function near(of: Record<string, Value | null> = {}) {
  const about = (value: Value | null | undefined) => (typeof value === 'number' ? expect.closeTo(value, 3) : value);
  return { ...of, average: about(of.average), sum: about(of.sum) };
}

describe('the order of groups', () => {
  const everything: Reader = { agent: 'staff' };
  const order = async (sort: string, more = '') => {
    const text = `{ peopleGroupBy(sort: ${sort} ${more}) { keys { nick } } }`;
    const { data } = await ask(text, everything);
    const found = data.peopleGroupBy as Group[];
    return found.map(({ keys }) => keys.nick);
  };
  const groups = groupsOf(rowsFor(everything), ['nick']);
  const last = (one: Value | null, other: Value | null, sign: number) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * smaller(one, other);
  };
  const expected = (...by: ((group: Group) => [Value | null, number])[]) => {
    const compare = (one: Group, other: Group) => {
      for (const each of by) {
        const found = last(each(one)[0], each(other)[0], each(one)[1]);
        if (found !== 0) return found;
      }
      return other.count - one.count || last(one.keys.nick ?? null, other.keys.nick ?? null, 1);
    };
    return groups.toSorted(compare).map(({ keys }) => keys.nick);
  };

  test('is by what is asked for, then the greatest first, then by the keys', async () => {
    expect(groups.length).toBeGreaterThan(5);
    expect(await order('[]')).toEqual(expected());
    expect(await order('{count: ASC}')).toEqual(expected(({ count }) => [count, 1]));
    expect(await order('{keys: {nick: DESC}}')).toEqual(expected(({ keys }) => [keys.nick ?? null, -1]));
    const heights = (group: Group) => group.aggregate.height ?? {};
    expect(await order('{aggregate: {height: {sum: DESC}}}')).toEqual(
      expected((group) => [heights(group).sum ?? null, -1]),
    );
    const both = await order('[{aggregate: {height: {distinct: ASC}}}, {aggregate: {age: {sum: DESC}}}]', 'limit: 4');
    const ages = (group: Group) => group.aggregate.age ?? {};
    expect(both).toEqual(
      expected(
        (group) => [heights(group).distinct ?? null, 1],
        (group) => [ages(group).sum ?? null, -1],
      ).slice(0, 4),
    );
  });

  test('has what has no value first where the query says so', async () => {
    expect((await order('{keys: {nick: DESC_NULLS_FIRST}}'))[0]).toBeNull();
    expect((await order('{keys: {nick: DESC}}')).at(-1)).toBeNull();
  });

  test('by what is not grouped by is refused', async () => {
    await expect(order('{keys: {team: ASC}}')).rejects.toThrow(/'team', which is not selected under 'keys'.*bad-arg/);
  });
});

test('what is closed is neither grouped by, nor measured, nor sorted by, nor counted', async () => {
  const guest: Reader = { agent: 'guest' };
  for (const text of [
    '{ peopleGroupBy { keys { salary } } }',
    '{ peopleGroupBy { keys { team } aggregate { salary { max } } } }',
    '{ peopleGroupBy(sort: {aggregate: {salary: {max: DESC}}}) { keys { team } } }',
    '{ peopleGroupBy { keys { ghostsCount } } }',
    '{ ghostsGroupBy { count keys { id } } }',
  ])
    await expect(ask(text, guest)).rejects.toThrow(/closed-/);
  const byClass = '{ entitiesGroupBy { count keys { type } } }';
  const { data } = await ask(byClass, guest);
  expect(data.entitiesGroupBy).toEqual([{ count: 40, keys: { type: `${base}Person` } }]);
  expect((await ask(byClass, { agent: 'staff' })).data.entitiesGroupBy).toHaveLength(2);
});

test('an answer has the names that the query gives, and the types of what it asks no more of', async () => {
  const { data } = await ask(
    `{ peopleGroupBy(limit: 1) {
         keys { team }
         many: aggregate { ...F age { __typename } tall: height { top: max } member { distinct @skip(if: true) } }
         aggregate { height { min } }
       } }
       fragment F on PersonGroupByAggregate { height { least: min } }`,
    { agent: 'staff' },
  );
  const [first] = groupsOf(rowsFor({ agent: 'staff' }), ['team']).sort((one, other) => other.count - one.count);
  const { min, max } = first?.aggregate.height ?? {};
  expect(data.peopleGroupBy).toEqual([
    {
      keys: first?.keys,
      many: { height: { least: min }, age: { __typename: 'IntGroupAggregate' }, tall: { top: max }, member: {} },
      aggregate: { height: { min } },
    },
  ]);
});
