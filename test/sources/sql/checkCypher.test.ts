import { expect, test } from '@jest/globals';
import { faultOfCypher } from '../../../src/sources/sql/checkCypher.ts';

const most = 10_000;

test.each([
  'MATCH (n:Person)-[:KNOWS]->(m) WHERE n.age > 3 RETURN n.name, count(m) ORDER BY n.name LIMIT 3',
  'MATCH (n) WHERE EXISTS { MATCH (n)--(m) } RETURN collect(n.x)[0] AS x UNION RETURN 1 AS x',
  'CALL { MATCH (n) RETURN n } RETURN n',
  "UNWIND [1, 2] AS x WITH x WHERE x > 1 RETURN toUpper('CREATE (n)')",
  'MATCH p = shortestPath((a)-[*..3]-(b)) RETURN p',
])('a query that only reads is taken: %s', (cypher) => {
  expect(faultOfCypher(cypher, most)).toBeUndefined();
});

test.each([
  ...['CREATE (n)', 'MATCH (n) SET n.x = 1', 'MATCH (n) DELETE n', 'MATCH (n) REMOVE n.x', 'MERGE (n)', 'INSERT (n)'],
  "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
  ...['CALL dbms.procedures() YIELD name RETURN name', 'CALL apoc.util.sleep(60000)', 'RETURN apoc.util.md5([1])'],
  ...['MATCH (n) CALL { WITH n CREATE (m) } RETURN n', 'MATCH (n) CALL { WITH n DELETE n } IN TRANSACTIONS'],
  ...['MATCH (n) RETURN EXISTS { CREATE (m) }', 'RETURN COLLECT { MATCH (n) SET n.x = 1 RETURN n }'],
  ...['MATCH (n) FOREACH (x IN [1] | CREATE (m))', 'RETURN 1; RETURN 2', 'FINISH', ''],
  'MATCH (n) CALL { WITH n RETURN 1 AS x } IN TRANSACTIONS RETURN x',
  ...['USE system SHOW USERS', 'USE other MATCH (n) RETURN n', 'SHOW USERS', "CREATE USER x SET PASSWORD 'y'"],
  ...['EXPLAIN MATCH (n) RETURN n', 'CYPHER runtime=slotted MATCH (n) RETURN n', "RETURN graph.byName('x')"],
  `RETURN '${'x'.repeat(most)}'`,
])('what does anything else is refused: %.60s', (cypher) => {
  expect(faultOfCypher(cypher, most)).toBeDefined();
});
