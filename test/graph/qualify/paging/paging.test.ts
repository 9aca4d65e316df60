import { expect, test } from '@jest/globals';
import type { GroupsAsked } from '../../../../src/graph/qualify/paging/groups.ts';
import { paged } from '../../../../src/graph/qualify/paging/paging.ts';

const none = new Set<string>();
const byName = new Set(['name']);

/** The clauses one a line, as they would be read. */
const tidy = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ ?([&.:,(){}[\]]) ?/g, '$1')
    .trim();

const connection = (counts: string, told: string, where = '') => `MATCH (this0:Country&Entity)${where}
  WITH collect({node: this0}) AS edges${counts}
  CALL (edges) {
    UNWIND edges AS edge
    WITH edge.node AS this0
    WITH *
    ORDER BY this0.area DESC
    SKIP $param0
    LIMIT $param1
    RETURN collect({node: {area: this0.area}}) AS var1
  }
  RETURN {edges: var1${told}} AS this`;

test('a connection is sorted and limited before it is collected, and counted apart', () => {
  const text = connection(', count(this0) AS totalCount', ', totalCount: totalCount');
  expect(tidy(paged(text, none))).toBe(
    tidy(`CALL (*) {
      MATCH (this0:Country&Entity)
      WITH *, this0.area AS sorted1 ORDER BY sorted1 IS NULL, sorted1 DESC, this0.id SKIP $ param0 LIMIT $ param1
      RETURN collect({node: {area: this0.area}}) AS var1
    }
    CALL (*) { MATCH (this0:Country&Entity) RETURN count(this0) AS totalCount }
    RETURN {edges: var1, totalCount: totalCount} AS this`),
  );
  expect(paged(connection('', ''), none)).not.toContain('count');
});

test('a list that is used elsewhere too is left as it is', () => {
  const text = connection('', ', all: edges').replace('ORDER BY this0.area DESC', '');
  expect(paged(text, none)).toBe(text);
});

test('a page in the order of an index takes those with a value, and behind them those without', () => {
  const text = `MATCH (this:Country&Entity) WHERE this.area > $param0 WITH * ORDER BY this.name DESC SKIP $param1 LIMIT $param2
    RETURN this {.name} AS this`;
  const found = tidy(paged(text, byName));
  expect(found).toContain(
    tidy(`MATCH (this:Country & Entity) WHERE this.name IS NOT NULL AND (this.area > $ param0)
    WITH this ORDER BY this.tenant DESC, this.name DESC, this.id LIMIT $ param1 + $ param2`),
  );
  expect(found).toContain(tidy('UNION ALL MATCH (this:Country & Entity) WHERE this.name IS NULL AND'));
  expect(found).toContain(tidy('AS this SKIP $ param1 LIMIT $ param2'));
  expect(paged(text, none)).not.toContain('UNION');
});

test('the certainty of an edge that has none is the greatest', () => {
  const text = `MATCH (this)-[this0:BORDERS]->(this1) WITH collect({node: this1, relationship: this0}) AS edges
    CALL (edges) { UNWIND edges AS edge WITH edge.node AS this1, edge.relationship AS this0
      WITH * ORDER BY this0.certainty DESC LIMIT $param0 RETURN collect({node: {name: this1.name}}) AS var1 }
    RETURN {edges: var1} AS var2`;
  expect(tidy(paged(text, none))).toContain(tidy('WITH * ORDER BY this0.certainty DESC, this0.statementId LIMIT'));
});

test('a page behind a row has the condition of its order, and its edges tell their keys', () => {
  const text = connection('', '').replace('SKIP $param0', '').replace('area DESC', 'area DESC, this0.name ASCENDING');
  expect(tidy(paged(text, none, { after: [false, true] }))).toBe(
    tidy(`CALL (*) {
      MATCH (this0:Country&Entity)
      WITH *, this0.area AS sorted1, this0.name AS sorted2
        WHERE sorted1 < $after0 OR sorted1 IS NULL OR (sorted1 = $after0 AND (sorted2 IS NOT NULL OR (this0.id > $afterId)))
      WITH * ORDER BY sorted1 IS NULL, sorted1 DESC, sorted2 IS NOT NULL, sorted2 ASC, this0.id LIMIT $ param1
      RETURN collect({keys: [sorted1, sorted2, this0.id], node: {area: this0.area}}) AS var1
    }
    RETURN {edges: var1} AS this`),
  );
});

test.each([
  [
    'a value',
    [false],
    ['this0.name >= $after0 AND (this0.name <> $after0 OR (this0.id > $afterId))', 'this0.name IS NULL'],
  ],
  ['none', [true], ['this0.name IS NULL AND (this0.id > $afterId)']],
])('a page in the order of an index begins behind a row with %s', (_, after, conditions) => {
  const text = connection('', '').replace('SKIP $param0', '').replace('area DESC', 'name ASC');
  const found = tidy(paged(text, byName, { after }));
  expect(found.match(/(?<=WHERE ).*?(?= ?WITH this0)/g)).toEqual(conditions.map(tidy));
});

test('groups stand in the place of a page', () => {
  const text = connection('', '').replace('SKIP $param0', '').replace('area DESC', 'area ASC, this0.name ASC');
  const groups: GroupsAsked = {
    keys: 1,
    measured: [{ at: 1, by: 'shortest' }],
    order: [
      { of: 'measured', at: 0, direction: 'ASCENDING' },
      { of: 'count', direction: 'ASC' },
    ],
  };
  expect(tidy(paged(text, byName, { groups }))).toBe(
    tidy(`CALL (*) {
      MATCH (this0:Country&Entity)
      WITH this0, this0.area AS value0, this0.name AS value1
      WITH value0, count(this0) AS members,
        min(CASE WHEN value1 IS NOT NULL THEN [size(value1), value1] END)[1] AS measured0
        ORDER BY measured0 IS NOT NULL, measured0 ASC, members ASC, members DESC, value0 IS NULL, value0 LIMIT $ param1
      RETURN collect({keys: [value0], count: members, measured: [measured0]}) AS var1
    }
    RETURN {edges: var1} AS this`),
  );
});

test('a page of another order than asked for, or of none, is refused', () => {
  expect(() => paged(connection('', ''), none, { after: [false, false] })).toThrow(/another order/);
  expect(() => paged(connection('', '').replace('ORDER BY this0.area DESC', ''), none, {})).toThrow(/another order/);
});

test('what sorts by more than properties keeps its order', () => {
  const text =
    'MATCH (this:Country) WITH DISTINCT this ORDER BY size(this.name) DESC RETURN collect(this.name) AS list';
  expect(paged(text, byName)).toBe(text);
});

test('a single link is the best of what is found, and is refused where it is written in another way', () => {
  const link = (match: string) => `MATCH (this:Element&Entity) CALL (this) { ${match}
    RETURN head(collect(this1)) AS var2 } RETURN this {block: var2} AS this`;
  const text = link('MATCH (this)-[this0:BLOCK]->(this1:Block&Entity) WHERE this1.name = $param0 WITH DISTINCT this1');
  expect(tidy(paged(text, none))).toContain(
    tidy(`WHERE this1.name = $ param0
      WITH this0, this1 ORDER BY coalesce(this0.certainty, 1.0) DESC, this0.observedAt DESC, this0.statementId LIMIT 1
      WITH this1
      RETURN head(collect(this1)) AS var2`),
  );
  expect(() => paged(link('MATCH (this)--(this1)'), none)).toThrow(/single link this1/);
  expect(() => paged(link('MATCH (this)-[this0:BLOCK]->(this1:Block)'), none)).toThrow(/single link this1/);
});

test('a list within is sorted before its members are shown, by its id too where they are sorted alike', () => {
  const list = (shown: string, sort = 'this1.name DESC') => `MATCH (this:Country&Entity) CALL (this) {
    MATCH (this)-[this0:BORDERS]->(this1:Country&Entity) WITH DISTINCT this1
    WITH this1 {${shown}} AS this1 ORDER BY ${sort} SKIP $param0 LIMIT $param1 RETURN collect(this1) AS var2
  } RETURN this {borders: var2} AS this`;
  expect(tidy(paged(list('.area, .name, capital: var4'), none))).toContain(
    tidy(`WITH DISTINCT this1
      WITH *, this1.name AS sorted1 ORDER BY sorted1 IS NULL, sorted1 DESC, this1.id SKIP $ param0 LIMIT $ param1
      WITH this1 {.area, .name, capital: var4} AS this1 RETURN collect(this1) AS var2`),
  );
  expect(tidy(paged(list('.area, count: var4', 'var4 DESC'), none))).toContain(
    tidy('WITH *, var4 AS sorted1 ORDER BY sorted1 IS NULL, sorted1 DESC, this1.id SKIP'),
  );
  // What is worked out is there only in what is shown.
  for (const worked of ['.area, name: var4', '.area']) {
    expect(tidy(paged(list(worked), none))).toContain(tidy(`WITH this1 {${worked}} AS this1 ORDER BY`));
  }
});

test('what is sorted by something worked out is told apart by the id of what is matched', () => {
  const text = `MATCH (this:Country&Entity) CALL (this) { RETURN 1 AS var0 } WITH * ORDER BY var0 ASC LIMIT $param0
    RETURN this {.name} AS this`;
  expect(tidy(paged(text, byName))).toContain(tidy('WITH * ORDER BY var0 ASC, this.id LIMIT'));
  const edges = `MATCH (this0:Country&Entity) WITH collect({node: this0}) AS edges CALL (edges) { UNWIND edges AS edge
    WITH edge.node AS this0 CALL (this0) { RETURN 1 AS var1 } WITH * ORDER BY var1 DESC LIMIT $param0
    RETURN collect({node: {name: this0.name}}) AS var2 } RETURN {edges: var2} AS this`;
  const found = tidy(paged(edges, none));
  expect(found.indexOf('AS var1')).toBeLessThan(found.indexOf('ORDER BY'));
  expect(found).toContain(tidy('ORDER BY sorted1 IS NULL, sorted1 DESC, this0.id LIMIT'));
});
