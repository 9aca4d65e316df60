import { beforeAll, expect, test } from '@jest/globals';
import { rowsOf } from '../../../support/qualified.ts';
import { type Conditions, Qualifier } from '../../../support/qualifier.ts';
import { emptyGraph } from '../../../support/service.ts';
import { useDatabase } from '../../../support/setUp.ts';
import { closedOf } from '../closedNames.ts';
import { leakVocabulary, projectedFields } from '../vocabulary.ts';

const database = useDatabase();
const qualifier = new Qualifier(projectedFields(leakVocabulary));

const said = `{tenant: 'north', statementId: randomUUID(), predicate: 'urn:f', revision: 1, recordedAt: datetime('2020-01-01'),
  observedAt: datetime('2020-01-01'), certainty: 1.0}`;

// Between a and c stands b, and by edges that somebody has made by hand three that are not for this tenant's eyes.
beforeAll(async () => {
  await emptyGraph();
  await database.run(
    'WRITE',
    `CREATE (a:Entity:Person {tenant: 'north', id: 'a'}), (b:Entity:Person {tenant: 'north', id: 'b'}), (c:Entity:Person {tenant: 'north', id: 'c'})
     CREATE (a)-[:FRIEND ${said}]->(b), (b)-[:FRIEND ${said}]->(c)
     WITH a, c UNWIND ['Entity', 'Task', 'Stranger'] AS label
     CREATE (x {id: label})
     FOREACH (_ IN CASE label WHEN 'Entity' THEN [1] ELSE [] END | SET x:Entity:Person, x.tenant = 'south')
     FOREACH (_ IN CASE label WHEN 'Task' THEN [1] ELSE [] END | SET x:Task, x.tenant = 'north')
     CREATE (a)-[:FRIEND ${said}]->(x), (x)-[:FRIEND ${said}]->(c)`,
  );
});

const conditions: [string, Conditions][] = [
  ['nothing else', { tenant: 'north' }],
  ['certainty', { tenant: 'north', requiredCertainty: 0.5 }],
  ['graphs', { tenant: 'north', graphs: { default: true, named: [] } }],
  ['a time', { tenant: 'north', asOf: new Date() }],
  ['closed classes', { tenant: 'north', closed: closedOf({ classes: ['Place'] }) }],
];
const ends = "(a {id: 'a'}), (c {id: 'c'})";

test.each([
  `MATCH ${ends} MATCH p = (a)-[*2]->(c) RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH ${ends} MATCH p = (c)<-[*2]-(a) RETURN reverse([n IN nodes(p) | n.id]) AS ids`,
  `MATCH ${ends} MATCH p = (a)-[:FRIEND*2]-(c) RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH ${ends} MATCH p = (a)-[r]->{2}(c) RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH ${ends} MATCH p = (a)-[:FRIEND]->+(c) RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH ${ends} MATCH p = (c)<-[r:FRIEND WHERE r.certainty > 0]-{1,3}(a) RETURN reverse([n IN nodes(p) | n.id]) AS ids`,
  `MATCH ${ends} MATCH p = (a) ((x)-[:FRIEND]->(y))+ (c) RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH ${ends} MATCH p = allShortestPaths((a)-[:FRIEND*..3]->(c)) RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH ${ends} MATCH p = shortestPath((a)-[*..3]-(c)) RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH ${ends} OPTIONAL MATCH p = (a)-[r*2]->(c) WHERE 1 / size(r) >= 0 RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH ${ends} OPTIONAL MATCH p = (a)-[r]->{2}(c) WHERE 1 / size(a.id) >= 0 RETURN [n IN nodes(p) | n.id] AS ids`,
  `MATCH (a {id: 'a'}) RETURN ['a'] + [(a)-[r*2..2]->(c) | startNode(r[1]).id][0..] + ['c'] AS ids`,
  `MATCH ${ends} RETURN CASE COUNT { (a)-[*2]->(c) } WHEN 1 THEN ['a', 'b', 'c'] END AS ids`,
])('a path passes through nothing that is not the tenant’s, whatever leads there: %s', async (text) => {
  for (const [name, each] of conditions) {
    const found = await rowsOf(database, qualifier.qualify(text, each), {});
    expect([name, found]).toEqual([name, [{ ids: ['a', 'b', 'c'] }]]);
  }
});
