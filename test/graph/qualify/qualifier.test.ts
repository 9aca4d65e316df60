import { expect, test } from '@jest/globals';
import neo4j from 'neo4j-driver';
import { LimitExceeded } from '../../../src/base/limitExceeded.ts';
import { type Conditions, Qualifier, RefusedCypher } from '../../support/qualifier.ts';
import { closedOf } from './closedNames.ts';
import { leakVocabulary, projectedFields } from './vocabulary.ts';

const qualifier = new Qualifier(projectedFields(leakVocabulary));
const tenantOnly = { tenant: 'north' };
const certain = { tenant: 'north', requiredCertainty: 0.5 };

const textOf = (cypher: string, conditions = tenantOnly) =>
  qualifier.qualify(cypher, conditions).cypher.replace('CYPHER 5\n', '');

function refusal(cypher: string, conditions = tenantOnly): RefusedCypher {
  try {
    qualifier.qualify(cypher, conditions);
  } catch (error) {
    if (error instanceof RefusedCypher) return error;
    throw error;
  }
  throw new Error(`Not refused: ${cypher}`);
}

test('a node is one of the tenant, and an entity', () => {
  expect(textOf('MATCH (n:Person) WHERE n.id = $id RETURN n.type AS type')).toBe(
    'MATCH (v1:`Person`&`Entity`) WHERE (v1.`id` = $g1) AND v1.`tenant` = $ownTenant\nRETURN v1.`type` AS v2',
  );
});

const isName = '(CASE WHEN v1.`name` IS :: STRING NOT NULL THEN v1.`name` END)';

test('a value is told, and given to what could fail, only where it is of its type', () => {
  const told = (text: string) => textOf(text).split('RETURN ')[1];
  expect(told('MATCH (n:Person) RETURN n.name AS x')).toBe(`${isName} AS v2`);
  expect(told('MATCH (n:Person) RETURN n {.id, .name} AS x')).toBe(`v1 {.\`id\`, \`name\`: ${isName}} AS v2`);
  expect(told('MATCH (n:Person) RETURN size(n.name) AS x')).toBe(`size(${isName}) AS v2`);
  expect(told('MATCH ()-[r:FRIEND]->() RETURN r.certainty AS x')).toMatch(
    /^\(CASE WHEN 0 <= v(\d)\.`certainty` AND v\1\.`certainty` <= 1\.0 THEN v\1\.`certainty` END\) AS v\d$/,
  );
});

test("the schema takes a property with an index as it is, but gives no function what isn't of its type", () => {
  const own = (text: string) => qualifier.qualify(text, { tenant: 'north' }, false, true).cypher.split('RETURN ')[1];
  expect(own('MATCH (this:Person&Entity) RETURN this.name AS x')).toBe('v1.`name` AS v2');
  expect(own('MATCH (this:Person&Entity) RETURN this {.name} AS x')).toBe('v1 {.`name`} AS v2');
  expect(own('MATCH (this:Person&Entity) RETURN size(this.name) AS x')).toBe(`size(${isName}) AS v2`);
  expect(own('MATCH (this:Person&Entity) RETURN [x IN this.nick | x] AS x')).toContain('IS :: LIST<STRING NOT NULL>');
});

test('a comparison reads a property as it is, so that its index serves, unless another value could meet it', () => {
  const asked = (condition: string) => textOf(`MATCH (n:Person) WHERE ${condition} RETURN 1 AS x`);
  for (const sign of ['=', '<', 'STARTS WITH', 'CONTAINS']) expect(asked(`n.name ${sign} $p`)).toContain('(v1.`name` ');
  for (const other of ['n.name <> $p', 'n.name IS NULL', 'NOT n.name = $p', 'NOT (n.id = $p OR n.name > $p)'])
    expect(asked(other)).toContain(isName);
  expect(asked('n.name IS NOT NULL')).not.toContain(isName);
});

test('a bound node needs nothing, and an anonymous one is conditioned like any other', () => {
  expect(textOf('MATCH (n:Entity) MATCH (n)-[:FRIEND]->() RETURN count(*) AS c')).toContain(
    'MATCH (v1) -[v2:`FRIEND`]-> (v3:(`Entity`|`Literal`)) WHERE v2.`statementId` IS NOT NULL AND v3.`tenant` = $ownTenant',
  );
});

test('a CALL of all imports what it names, from outside of the CALL around it too, and nothing else', () => {
  const text = textOf(
    'MATCH (a:Entity) CALL (a) { MATCH p = (a)-[:FRIEND]->(b) CALL (*) { MATCH (a)-[:FRIEND]-(b) RETURN count(*) AS c } RETURN c } RETURN c',
  );
  expect(text.match(/CALL \(.*\)/g)).toEqual(['CALL (v1)', 'CALL (v1, v4)']);
});

test('a test for a type of value is printed in one way', () => {
  for (const test of ['IS TYPED STRING', 'IS :: STRING'])
    expect(textOf(`MATCH (n:Entity) WHERE n.id ${test} RETURN n.id AS i`)).toContain('(v1.`id` IS :: STRING)');
});

test('nothing that was retracted is traversed, whatever the pattern says', () => {
  expect(textOf('MATCH (:Entity)-->(m:Entity) RETURN m.id')).toContain('-[v2:!`PAST`]->');
  expect(textOf('MATCH (:Entity)-[:PAST]->(m:Entity) RETURN m.id')).toContain('-[v2:(`PAST`)&!`PAST`]->');
  expect(textOf('MATCH (:Entity)-[*1..3]->(m:Entity) RETURN m.id')).toMatch(
    /all\(v\d+ IN v2 WHERE type\(v\d+\) <> \$ownPast AND v\d+\.`statementId` IS NOT NULL AND endNode/,
  );
});

test('a test for a type becomes no plain true or false, and is unknown where there is no relationship', () => {
  const past = { tenant: 'north', asOf: new Date(0) };
  const texts = ['PAST', '!PAST', '%', 'FRIEND|PAST'].map((type) =>
    textOf(`MATCH (n:Entity)<-[:${type}]-() OPTIONAL MATCH (n)-[r]->() WHERE NOT r:${type} RETURN n.id`, past),
  );
  for (const text of texts) {
    expect(text).not.toMatch(/(?<!, )\b(true|false)\b/);
    expect(text).toMatch(/NOT \(+(NOT )?\(*coalesce\(v\d+\.`relationshipType`, type\(v\d+\)\) (=|<>) \$l/);
  }
});

test('columns keep the names that they have without AS', () => {
  const cypher = 'MATCH (n:Entity) RETURN n.name, count( * ), 1 AS `😀 of ``all```';
  const { columns } = qualifier.qualify(cypher, certain);
  expect(columns).toEqual(['n.name', 'count( * )', '😀 of `all`']);
});

test('the tenant may be sorted by and nothing else, and only that of a node', () => {
  const sorted = 'MATCH (n:Entity)-[r]->(m) RETURN n.id AS id ORDER BY n.tenant, id LIMIT 10';
  expect(textOf(sorted)).toMatch(/ORDER BY v1\.`tenant`, v4 LIMIT 10$/);
  for (const other of [
    'MATCH (n:Entity) RETURN n.tenant AS t ORDER BY n.tenant',
    "MATCH (n:Entity) RETURN n.id ORDER BY n.tenant + ''",
    'MATCH (n:Entity)-[r]->(m) RETURN n.id ORDER BY r.tenant',
    'MATCH (n:Entity) WITH n.id AS id, collect(n) AS all RETURN id ORDER BY all[0].tenant',
    'MATCH (n:Entity) WHERE n.tenant = $t RETURN n.id',
  ]) {
    expect(refusal(other).construct).toBe('the property tenant');
  }
});

test('values travel as one parameter, and texts depend only on which conditions there are', () => {
  const one = qualifier.qualify('MATCH (n:Entity) RETURN n.id', { tenant: 'north', requiredCertainty: 0.5 });
  const other = qualifier.qualify('MATCH (n:Entity) RETURN n.id', {
    tenant: 'south',
    requiredCertainty: 0.9,
  });
  expect(one.cypher).toBe(other.cypher);
  expect(one.parametersFor()).toEqual({ ownTenant: 'north', ownPast: 'PAST', ownCertainty: 0.5 });
  expect(other.parametersFor()).toEqual({ ownTenant: 'south', ownPast: 'PAST', ownCertainty: 0.9 });
});

test.each([
  ['CREATE (n:Entity) RETURN n.id', 'the clause CREATE'],
  ['MATCH (n) SET n.name = 1', 'the clause SET'],
  ['MATCH (n) DETACH DELETE n', 'the clause DELETE'],
  ['MATCH (n) REMOVE n.name', 'the clause REMOVE'],
  ['MERGE (n:Entity) RETURN 1 AS one', 'the clause MERGE'],
  ['FOREACH (x IN [1] | CREATE ())', 'the clause FOREACH'],
  ['CALL { CREATE (n) RETURN 1 AS x } RETURN x', 'the clause CREATE'],
  ["LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", 'the clause LOAD CSV'],
  ['USE neo4j MATCH (n) RETURN 1 AS one', 'the clause USE'],
  ['CALL db.labels() YIELD label RETURN label', 'the procedure db.labels'],
  ['CALL dbms.components()', 'the procedure dbms.components'],
  ['SHOW INDEXES', 'the command SHOW'],
  ['MATCH (:Country) RETURN *', '* where there is no variable'],
  ['MATCH (:Country) WITH DISTINCT * RETURN 1 AS one', '* where there is no variable'],
  ['EXPLAIN MATCH (n) RETURN 1 AS one', 'the command EXPLAIN'],
  ['PROFILE MATCH (n) RETURN 1 AS one', 'the command PROFILE'],
  ['CYPHER 25 MATCH (n) RETURN 1 AS one', 'the command CYPHER'],
  ['CYPHER runtime=slotted MATCH (n) RETURN 1 AS one', 'the command CYPHER'],
  ['DROP INDEX x', 'the command DROP'],
  [
    'RETURN apoc.cypher.runFirstColumnSingle("MATCH (n) RETURN n", {}) AS x',
    'the function apoc.cypher.runFirstColumnSingle',
  ],
  ['RETURN `apoc`.`meta`.`data`() AS x', 'the function `apoc`.`meta`.`data`'],
  ['MATCH (n) RETURN elementId(n) AS x', 'the function elementId'],
  ['MATCH (n) RETURN id(n) AS x', 'the function id'],
  ['MATCH (n) RETURN properties(n) AS x', 'properties() of a node or relationship'],
  ['MATCH (n) RETURN properties({a: n}).a.tenant AS x', 'the property tenant'],
  ['MATCH (n) UNWIND keys(n) AS x RETURN x', 'keys() of a node or relationship'],
  ['MATCH (n) RETURN n {.*} AS x', 'all properties at once (.*)'],
  ['MATCH (n) RETURN n.tenant AS x', 'the property tenant'],
  ["MATCH (n) RETURN n['tenant'] AS x", 'the property tenant'],
  ['MATCH (n) RETURN n[$key] AS x', 'a property whose name is only known when it runs'],
  ["MATCH (n {tenant: 'south'}) RETURN n.id", 'the property tenant'],
  ['MATCH (n) WITH [n, 1] AS xs RETURN xs[0].tenant AS x', 'the property tenant'],
  ['MATCH ()-[r]->() RETURN r.tenant AS x', 'the property tenant'],
  ['MATCH (n $properties) RETURN n.id', 'a parameter as the properties of a pattern'],
  ['MATCH (n:$($label)) RETURN n.id', 'a dynamic label or type'],
  ['MATCH (n) RETURN n', 'a whole node, relationship or path as a result ("n")'],
  ['MATCH (n) RETURN *', 'a whole node, relationship or path as a result ("n")'],
  ['MATCH (n) RETURN collect({a: [n]}) AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH p = ()-->() RETURN p', 'a whole node, relationship or path as a result ("p")'],
  ['MATCH (n) RETURN coalesce(n, 1) AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH (n) RETURN coalesce($p, n) AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH (n) RETURN [n, 1][0] AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH (n) RETURN head([1, n]) AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH (n) RETURN CASE WHEN $p THEN n ELSE 1 END AS x', 'a whole node, relationship or path as a result ("x")'],
  [
    'MATCH (n) RETURN {a: CASE $p WHEN 1 THEN 1 ELSE n END} AS x',
    'a whole node, relationship or path as a result ("x")',
  ],
  ['MATCH (n) RETURN reduce(a = 1, x IN [1] | n) AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH (n) RETURN {a: n, b: 1} AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH (n) RETURN max(n) AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH (n) RETURN [y IN [n]] AS x', 'a whole node, relationship or path as a result ("x")'],
  ['MATCH (n) WITH {a: n} AS m RETURN m {.*} AS x', 'a whole node, relationship or path as a result ("x")'],
  [
    'MATCH (n) WITH CASE WHEN $p THEN {a: n} ELSE 1 END AS m RETURN m.a AS x',
    'a whole node, relationship or path as a result ("x")',
  ],
  [
    'MATCH (n) WITH CASE WHEN $p THEN {a: 1, b: n} ELSE {a: n, b: 1} END AS m RETURN m.a AS x',
    'a whole node, relationship or path as a result ("x")',
  ],
  [
    'MATCH (n) RETURN reduce(l = {a: 1, b: 1, c: 1, d: 1, e: n}, y IN [1, 2, 3, 4] | {a: l.b, b: l.c, c: l.d, d: l.e, e: l.e}).a AS x',
    'a whole node, relationship or path as a result ("x")',
  ],
  ['MATCH (n) RETURN {a: 1, a: n} AS x', 'the key a twice'],
  [
    'CALL { RETURN 1 AS y UNION MATCH (n) RETURN n AS y } RETURN y AS x',
    'a whole node, relationship or path as a result ("x")',
  ],
  ['MATCH (n) WHERE (n)-->(m) RETURN 1 AS x', 'the unknown variable m'],
  ['MATCH REPEATABLE ELEMENTS (n)-->() RETURN 1 AS x', 'the match mode REPEATABLE ELEMENTS'],
  ['MATCH (n) RETURN CASE n WHEN :Person THEN 1 END AS x', 'a label test in WHEN'],
  ['MATCH (n) OPTIONAL MATCH (m:Person) USING SCAN m:Person RETURN 1 AS x', 'a planner hint (USING)'],
  ...['WHERE n.id = 1', 'LIMIT 1', 'ORDER BY n.id'].map((more) => [
    `MATCH (n) CALL { WITH n ${more} RETURN 1 AS y } RETURN y AS x`,
    'anything but variables in the WITH that imports them',
  ]),
  ['MATCH (n) RETURN 1 AS x, 2 AS x', 'the name x for two columns'],
  ['MATCH (n) RETURN ALL 1 AS x', 'GROUP BY or ALL in a projection'],
  ['MATCH (n) RETURN count(n) AS c ORDER BY n.id', 'the unknown variable n'],
  ['MATCH (n) RETURN DISTINCT n.type AS c ORDER BY n.id', 'the unknown variable n'],
  ['MATCH (n) RETURN n.id AS x LIMIT (n)', 'the unknown variable n'],
  ['MATCH (n) WITH n, n.age AS x SKIP x RETURN n.id AS i', 'the unknown variable x'],
  ['MATCH (n) WHERE EXISTS { MATCH (n) RETURN n.id AS i LIMIT n.age } RETURN 1 AS x', 'the unknown variable n'],
  ['MATCH (n) RETURN n.name__certainty AS x', 'the property name__certainty'],
  ['MATCH ()-[r]->() RETURN r.__concordAsOf AS x', 'the reserved name __concordAsOf'],
  ['MATCH ()-[r WHERE $at IS NULL OR r.__concordAsOf = $at]->() RETURN 1 AS x', 'the reserved name __concordAsOf'],
  ['MATCH (n:`a b`) RETURN 1 AS x', 'the name "a b"'],
  ["RETURN '\\U0027' AS x", 'an escape with \\u'],
  ['MATCH (n) RETURN n {a: 1, a: n} AS x', 'the key a twice'],
  ['MATCH ()-[r]->() RETURN r {.*} AS x', 'all properties at once (.*)'],
  ['MATCH ()-[r]->()-[r]->() RETURN 1 AS x', 'the variable r once more, as what it may not be'],
  ['MATCH (n)-->() ((n)-->()){1,2} () RETURN 1 AS x', 'the variable n once more, as what it may not be'],
  ['MATCH ((b)-->(c)){1,2} (d) ((b)-->(e)){1,2} RETURN 1 AS x', 'the variable b once more, as what it may not be'],
  ['MATCH ((a)-->(b)){1,2} (c), ((d)-->(b)){1,2} (e) RETURN 1 AS x', 'the variable b once more, as what it may not be'],
  ['MATCH (a)((x WHERE x.id = a.id)-->(y))+(b) RETURN 1 AS x', 'the unknown variable a'],
  ['MATCH (a), ((x)-->(y) WHERE y.id = a.id)+(b) RETURN 1 AS x', 'the unknown variable a'],
  ['MATCH p = (n)-->() MATCH p = (n)-->() RETURN 1 AS x', 'the variable p once more, as what it may not be'],
  ['MATCH (n) USING SCAN n:Entity RETURN n.id', 'a planner hint (USING)'],
  ['MATCH (n:Entity) USING INDEX n:Entity(id) WHERE n.id = 1 RETURN n.id', 'a planner hint (USING)'],
  ["RETURN '\\u0027' AS x", 'an escape with \\u'],
  ['MATCH (n) CALL (n) { RETURN 1 AS x } IN TRANSACTIONS RETURN x', 'CALL … IN TRANSACTIONS'],
  [
    'MATCH (a:Entity), (b:Entity) RETURN length(shortestPath((a)-[*]-(b))) AS x',
    'the expression shortest path expression',
  ],
  ['RETURN 1 AS one; MATCH (n) DETACH DELETE n', 'several queries at once'],
  ['RETURN 1 AS one RETURN 2 AS two', 'RETURN before the end'],
  ['MATCH (n) WHERE n.name IS NLAMROIZED RETURN count(n) AS c', 'a label test of what is no node'],
  ['MATCH (n) WHERE n.name:Person RETURN count(n) AS c', 'a label test of what is no node'],
  ['MATCH (n) WHERE [(n)-->(m) | m][0]:Person RETURN count(n) AS c', 'a label test of what is no node'],
  [
    'MATCH (n) WHERE head(COLLECT { MATCH (n)-->(m) RETURN m }):Person RETURN 1 AS c',
    'a label test of what is no node',
  ],
  ['MATCH (n', 'this syntax: unexpected end of the query'],
  ...['ANY', 'ANY 2', 'ANY SHORTEST', 'ALL SHORTEST', 'SHORTEST 2', 'SHORTEST 1 GROUP', 'ALL'].map((selector) => [
    `MATCH ${selector} (a:Entity)-[:FRIEND]->+(b:Entity) RETURN a.id`,
    `the path selector ${selector}`,
  ]),
])('%s is refused for %s', (cypher, construct) => {
  expect(refusal(cypher).construct).toBe(construct);
});

test('a shortest path is asked no sub-query for each of a list, where its relationships must qualify', () => {
  const of = (length: string, asked: string) =>
    `MATCH (a:Entity {id: 'a'}), (b:Entity {id: 'b'}) MATCH p = shortestPath((a)-[${length}]-(b)) WHERE ${asked} RETURN 1 AS x`;
  const refused = 'a sub-query or a value that must qualify, for each of a list, in the search for a shortest path';
  const byAge = 'all(n IN nodes(p) WHERE n.age > 1)';
  const byFriend = 'size([n IN nodes(p) WHERE EXISTS { (n)-[:FRIEND]->(:Person) }]) > 1';
  const seen = { tenant: 'north', graphs: { default: true, named: [] } };
  expect(refusal(of(':FRIEND*..3', byAge), seen).construct).toBe(refused);
  expect(refusal(of('*..3', byFriend)).construct).toBe(refused);
  expect(textOf(of(':FRIEND*..3', byAge))).toContain('ALL(');
  expect(refusal(of(':FRIEND*..3', byFriend)).construct).toBe(refused);
  expect(textOf(of(':FRIEND*..3', '1 / b.age > 0'), seen)).toContain('COLLECT');
  expect(textOf(of('*..3', 'all(r IN relationships(p) WHERE r.certainty > 0)'), seen)).toContain('ALL(');
});

test('a path that repeats is asked no sub-query that can fail', () => {
  const of = (asked: string) => `MATCH (:Entity) ((a)-[r]->(b) WHERE ${asked}){1,2} (:Entity) RETURN 1 AS x`;
  const refused = 'a sub-query or a value that must qualify, in a path that repeats';
  expect(refusal(of('any(x IN [(b)-->(c) | c.id] WHERE x > 1)')).construct).toBe(refused);
  expect(refusal(of('EXISTS { (b)-->(c) WHERE 1 / c.id > 0 }')).construct).toBe(refused);
  expect(textOf(of('EXISTS { (b)-->(c) WHERE c.id > 0 } AND 1 / r.certainty > 0'))).toContain('EXISTS');
});

test('as of the past, type() of what may be no relationship is refused by name', () => {
  const then = { tenant: 'north', asOf: new Date() };
  for (const text of ['MATCH (n) RETURN type(n) AS x', 'MATCH (n)-[r]->() UNWIND [n, r] AS e RETURN type(e) AS x'])
    expect(refusal(text, then).construct).toBe('type() of what is no relationship for sure');
  expect(textOf('MATCH ()-[r*1..2]->() RETURN type(head(r)) AS x', then)).toContain('relationshipType');
});

test('a refusal says where', () => {
  const { message, position } = refusal('MATCH (n)\nWHERE n.id = 1\nDETACH DELETE n');
  expect(position).toEqual({ line: 3, column: 1 });
  expect(message).toBe('Cypher may not use the clause DELETE (line 3, column 1)');
});

test('what is worked out before it is asked reads no property that may not qualify', () => {
  const text = `MATCH (n:Person) WITH n WHERE n.age < 9 AND toInteger(n.name) > 1 RETURN n.id AS i`;
  const read = 'CASE WHEN coalesce(v1.`age__certainty`, 1.0) >= $ownCertainty THEN v1.`age` END';
  expect(textOf(text, certain)).toContain(`((${read}) < $l1)`);
});

test('where certainty is required, a property of what may be an entity is refused', () => {
  const cypher = 'MATCH (n:Entity) WITH CASE WHEN $a THEN n ELSE {name: 1} END AS x RETURN x.name AS y';
  expect(refusal(cypher, certain).construct).toBe('the property name of what may or may not be an entity');
});

test('what other vocabularies have left on entities is not read where more than the tenant limits', () => {
  expect(textOf('MATCH (n:Entity) RETURN n.former AS x', certain)).toMatch(/RETURN null AS v\d+$/);
});

test('nested cases and lists are not looked at again and again, which would never end', () => {
  const nested = (levels: number) => `RETURN ${'CASE WHEN true THEN '.repeat(levels)}[1]${' END'.repeat(levels)} AS x`;
  expect(textOf(nested(12))).toContain('[$l1]');
  for (const deep of [nested(60), `RETURN ${'['.repeat(20_000)}1${']'.repeat(20_000)} AS x`])
    expect(() => textOf(deep)).toThrow(LimitExceeded);
});

test('labels are put together as they were written, and what has none but of Concord is still asked for them', () => {
  const labelsOf = (labels: string) => textOf(`MATCH (n:${labels}) RETURN n.id AS x`).match(/v1:(.*?)\) WHERE/)?.[1];
  expect(labelsOf('(Person|Place)&Thing')).toBe('((`Person`|`Place`)&`Thing`)&(`Entity`|`Literal`)');
  expect(labelsOf('!!Person')).toBe('!!`Person`&(`Entity`|`Literal`)');
  expect(labelsOf('Literal')).toBe('`Literal`&(`Entity`|`Literal`)');
  expect(labelsOf('Entity|Task')).toBe('(`Entity`|`Task`)&(`Entity`|`Literal`)');
  expect(textOf('MATCH (n:Entity) MATCH (n:Person) RETURN n.id AS x')).toContain('MATCH (v1:`Person`)\n');
});

test('a node that is bound perhaps is asked for its conditions once more', () => {
  const text = 'MATCH (a:Person) CALL (a) { WITH 1 AS x MATCH (a:Person) RETURN a AS b } RETURN b.id AS x';
  expect(textOf(text).match(/MATCH \(v1:`Person`&`Entity`\) WHERE v1\.`tenant` = \$ownTenant/g)).toHaveLength(2);
});

test('each end of a repeated path is a node that is asked for, where the pattern names none too', () => {
  for (const pattern of ['(a:Person) ((b)-[:FRIEND]->(c)){1,2}', '((b)-[:FRIEND]->(c)){1,2} (a:Person)'])
    expect(textOf(`MATCH ${pattern} RETURN a.id AS x`).match(/`tenant`/g)).toHaveLength(5);
});

test('the ends of a shortest path are asked for by themselves', () => {
  const text = 'MATCH p = shortestPath((a:Person)-[:FRIEND*]-(b:Person)) RETURN length(p) AS x';
  expect(textOf(text, certain).match(/highest__certainty/g)).toHaveLength(2);
});

test('a type expression is asked of the type that an edge had, and of each relationship of a path', () => {
  const past = { tenant: 'north', asOfRevision: 3 };
  const had = 'coalesce(v2.`relationshipType`, type(v2))';
  const of = (type: string, conditions = tenantOnly) =>
    textOf(`MATCH (:Person)-[:${type}]->(a) RETURN a.id AS x`, conditions);
  expect(of('!FRIEND', past)).toContain(`(NOT (${had} = $l1))`);
  expect(of('%', past)).toContain(`(${had} <> $l1)`);
  expect(of('!FRIEND*1..2')).toMatch(/all\((v\d+) IN v2 WHERE type\(\1\) <> \$ownPast AND \(\(NOT \(type\(\1\) = \$l1/);
  expect(of('FRIEND*1..2 {taskId: 1}')).toMatch(/all\((v\d+) IN v2 WHERE \1\.`taskId` = \$l1\)/);
});

test.each([{ asOf: new Date('2024-01-01T00:00:00Z') }, { asOfRevision: 3 }])(
  'type() of an edge is the type that it had then (%o)',
  (moment) => {
    const text = 'MATCH (:Person)-[r]->(a) RETURN type(r) AS x';
    expect(textOf(text, { tenant: 'north', ...moment })).toMatch(
      /RETURN coalesce\((v\d+)\.`relationshipType`, type\(\1\)\) AS/,
    );
    expect(textOf(text)).toMatch(/RETURN type\(v\d+\) AS/);
  },
);

test('a property of what is no variable is worked out once, and its value tested then', () => {
  for (const read of ['head([n IN [a] | n]).name', 'head([(a)-[r:FRIEND]->() | r]).observedAt', 'endNode(r).name']) {
    const text = textOf(`MATCH (a:Person)-[r:FRIEND]->() RETURN ${read} AS x, size(${read}) AS y`);
    expect(text.match(/IN \[head\(\[|IN \[endNode\(/g)).toHaveLength(2);
  }
});

test("a moment of the schema's own stands over that of the query", () => {
  const text = 'MATCH (a:Entity)-[s WHERE $at IS NULL OR s.__concordAsOf = $at]->(o:Entity) RETURN o.id AS x';
  const { cypher } = qualifier.qualify(text, { tenant: 'north', asOfRevision: 3 }, false, true);
  expect(cypher).toContain('v2.`recordedAt` <= datetime($g1) AND coalesce(v2.`retractedAt` > datetime($g1), true)');
  expect(cypher).not.toContain('$ownAsOf');
});

test('functions of values take no node where more than the tenant limits what is read', () => {
  const of = (conditions: Conditions) => () => qualifier.qualify('MATCH (n:Person) RETURN point(n).x AS x', conditions);
  for (const more of [{ requiredCertainty: 0.5 }, { graphs: { default: true, named: [] } }, { asOfRevision: 1 }])
    expect(of({ ...tenantOnly, ...more })).toThrow('point() of a node or relationship');
});

test('REDUCE may stand often, and six deep', () => {
  const nested = (levels: number): string => (levels === 0 ? '1' : `reduce(s = 0, x IN [1] | ${nested(levels - 1)})`);
  expect(textOf(`RETURN [${Array.from({ length: 9 }, () => nested(1)).join(', ')}] AS x`)).toContain('reduce');
  expect(textOf(`RETURN ${nested(6)} AS x`)).toContain('reduce');
  expect(refusal(`RETURN ${nested(7)} AS x`).construct).toBe('REDUCE nested this deeply');
});

test('only the very form of the schema says a moment, and its absence says none', () => {
  const of = (condition: string, isOwn: boolean) =>
    qualifier.qualify(`MATCH (a)-[s WHERE ${condition}]->(b) RETURN b.id AS x`, tenantOnly, false, isOwn).cypher;
  expect(of('$at IS NULL OR s.taskId = $at', true)).toContain('(v2.`taskId` = $g1)');
  expect(of('$at IS NULL OR s.taskId = $at', false)).toContain('(v2.`taskId` = $g1)');
  expect(of('NULL IS NULL OR s.__concordAsOf = NULL', true)).toContain('-[v2:!`PAST`]->');
});

test('what comes of the rewriting is read once more before it is sent', () => {
  const broken = new Qualifier(
    new Map([['name', { relationshipType: 'PAST', scalar: 'String', list: false, indexed: false }]]),
  );
  const conditions = { tenant: 'north', observedSince: new Date(0) };
  expect(() => broken.qualify('MATCH (n:Entity) RETURN n.name AS x', conditions)).toThrow('is not confined');
});

test('a sub-query sees what is around it behind a WITH too, and hands on nothing but its own', () => {
  const collected = textOf(
    'MATCH (n:Person) RETURN COLLECT { WITH 1 AS x MATCH (n)-[:FRIEND]->(m) RETURN n.id + m.id AS y } AS z',
  );
  expect(collected).toContain('MATCH (v1:(`Entity`|`Literal`)) -[');
  const called = textOf('MATCH (a:Person) CALL (a) { MATCH (b:Person) WHERE b.age > a.age RETURN * } RETURN b.id AS x');
  expect(called).not.toContain('v1 AS');
  expect(textOf('MATCH (n:Person) WITH DISTINCT * RETURN n.id AS x')).toContain('WITH DISTINCT v1\n');
});

test('whole numbers stay whole, and a parameter is given under its own name only', () => {
  const { parametersFor } = qualifier.qualify('RETURN 9007199254740993 AS x, $toString AS y', tenantOnly);
  expect(parametersFor({ toString: 1 })).toMatchObject({ l1: neo4j.int('9007199254740993'), g1: 1 });
  expect(() => parametersFor({})).toThrow('the parameter $toString, which is not given');
});

test('the literals of a closed property are read, and no entity shows it', () => {
  const conditions = { ...tenantOnly, closed: closedOf({ predicates: ['value'] }) };
  const { cypher } = qualifier.qualify('MATCH (n) RETURN n.value AS x', conditions);
  expect(cypher).toContain('CASE WHEN (v1:`Literal`) THEN v1.`value` END');
});

test('an answer tells what it rests on through UNWIND and DISTINCT, and not where UNION merges rows', () => {
  const told = (text: string) => qualifier.qualify(text, tenantOnly, true);
  expect(told('MATCH (:Person)-[:FRIEND]->() UNWIND [1, 2] AS x RETURN x').cypher).toContain('IN [v2] | [');
  expect(told('MATCH (n:Person) RETURN DISTINCT n.type AS x').cypher).toContain('RETURN DISTINCT v1.`type`');
  const union = 'RETURN 1 AS x UNION RETURN 2 AS x';
  expect(told(union).consulted).toBe(false);
  expect(told(union.replace('UNION', 'UNION ALL')).consulted).toBe(true);
});

test('what can fail in a sub-query stays in it, behind its pattern', () => {
  const text = 'MATCH (n:Person) RETURN EXISTS { (n)-[r:FRIEND]->(m) WHERE 1 / r.other > 0 } AS x';
  expect(textOf(text)).toMatch(
    /EXISTS \{ MATCH .*\nWITH \*, \(\(\(\$l1 \/ v\d+\.`other`\) > \$l2\)\) AS (v\d+) WHERE \1\nRETURN 1/,
  );
});

test('an entity shows the property that is called as one of a literal, and rows of UNION ALL stay apart', () => {
  expect(textOf('MATCH (n) RETURN n.value AS x', certain)).toContain('THEN v1.`value` ELSE (CASE WHEN');
  expect(textOf('RETURN 1 AS x UNION ALL RETURN 2 AS x')).toContain('\nUNION ALL ');
  expect(textOf('RETURN 1 AS x UNION RETURN 2 AS x')).toContain('\nUNION RETURN');
});

test('a node may stand several times in one repeated path', () => {
  const text = 'MATCH (:Person) ((b)-[:FRIEND]->(c)-[:FRIEND]->(b)){1,2} (d:Person) RETURN d.id AS x';
  expect(textOf(text)).toContain('-> (v2) WHERE');
});

test('the relationships of a repeated path are told one by one', () => {
  const text = 'MATCH (:Person) ((b)-[r:FRIEND]->(c)){1,2} (d:Person) RETURN d.id AS x';
  const { cypher } = qualifier.qualify(text, tenantOnly, true);
  expect(cypher).toContain('IN coalesce(v3, []) | [');
});

test('what may be a node or a relationship is tested for neither a closed class nor a closed type', () => {
  const conditions = { ...tenantOnly, closed: closedOf({ classes: ['Place'], predicates: ['boss'] }) };
  for (const name of ['Place', 'BOSS']) {
    const text = `MATCH (n:Person) UNWIND [n, 1] AS x RETURN x:${name} AS y`;
    expect(() => qualifier.qualify(text, conditions)).toThrow('is closed to the caller');
  }
});

test('of two equal members of a map the second is written otherwise, for Neo4j would lose the first', () => {
  expect(textOf('MATCH (n:Person) RETURN n {a: n.type, b: n.type} AS x')).toContain(
    '{`a`: v1.`type`, `b`: coalesce(v1.`type`, null)}',
  );
});

test('an answer rests on the literals of the nodes of its rows, and not on those of what is no variable of a row', () => {
  const told = (text: string) => qualifier.qualify(text, tenantOnly, true).cypher;
  expect(told('MATCH (n:Person) RETURN n.name AS x')).toContain('COLLECT { MATCH (v1)-[v4:`NAME`]->');
  for (const value of [
    '[e IN collect(n) | e.name]',
    '[(n)-[:FRIEND]->(m) | m.name]',
    'EXISTS { (n)-->(m) WHERE m.name = 1 }',
  ])
    expect(told(`MATCH (n:Person) RETURN ${value} AS x`)).not.toContain('`NAME`');
  expect(told('MATCH (n:Person) UNWIND [n, 1] AS e RETURN toString(e.name) AS x')).not.toContain('`NAME`');
});
