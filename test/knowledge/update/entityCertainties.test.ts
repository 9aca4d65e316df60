import { expect, test } from '@jest/globals';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import { Random } from '../../graph/qualify/random.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();

const service = useService();

/** What entities say of their statements, beside what their statements say. */
const told = () =>
  database.run<{ id: string; highest: number; found: number; name: number; best: number | null }>(
    'READ',
    `MATCH (e:Entity)
     OPTIONAL MATCH (e)-[r:!PAST]-()
     WITH e, max(CASE WHEN r IS NULL THEN 0.0 ELSE coalesce(r.certainty, 1.0) END) AS found
     OPTIONAL MATCH (e)-[n:NAME]->()
     RETURN e.id AS id, coalesce(e.highest__certainty, 1.0) AS highest, found,
       coalesce(e.name__certainty, 1.0) AS name, max(coalesce(n.certainty, 1.0)) AS best ORDER BY id`,
  );

test('entities know the certainty of their statements, whatever was added, replaced and removed', async () => {
  const random = new Random(7);
  const ids = ['urn:a', 'urn:b', 'urn:c', 'urn:d', 'urn:e'];
  const certainty = () => {
    const one = random.pick([undefined, 0, 0.3, 0.6, 0.9, 1]);
    return one === undefined ? {} : { certainty: one };
  };
  for (let round = 0; round < 60; round++) {
    const mutations = Array.from({ length: 1 + random.below(4) }, () => {
      const subject = random.pick(ids);
      const make = random.pick([add, add, replace, remove, remove]);
      return random.chance(0.5)
        ? make(subject, `${schemaOrg}name`, random.pick(['A', 'B']), certainty())
        : make(subject, `${world}borders`, { id: random.pick(ids) }, certainty());
    });
    const { error } = await call(service.url, 'knowledge/update', { mutations, sourceAgentId: 'atlas' });
    expect(error).toBeUndefined();
    for (const { id, highest, found, name, best } of await told()) {
      expect({ round, id, highest }).toEqual({ round, id, highest: found });
      if (best !== null) expect({ round, id, name }).toEqual({ round, id, name: best });
    }
  }
});

test('an entity of which nothing certain enough is said any more is not there for who requires certainty', async () => {
  const found = async () => {
    const query = '{ entities(where: {id: {in: ["urn:x", "urn:y"]}}) { id } }';
    const params = { query, requiredCertainty: 0.5 };
    return (await call<QueryResult>(service.url, 'knowledge/query', params)).result.data;
  };
  const update = (mutations: object[]) => call(service.url, 'knowledge/update', { mutations });
  await update([add('urn:x', `${world}borders`, { id: 'urn:y' })]);
  await update([add('urn:x', `${schemaOrg}name`, 'X', { certainty: 0.2 })]);
  expect(await found()).toEqual({ entities: [{ id: 'urn:x' }, { id: 'urn:y' }] });
  await update([add('urn:x', `${world}borders`, { id: 'urn:y' }, { certainty: 0.1 })]);
  expect(await found()).toEqual({ entities: [] });
  await update([add('urn:x', `${schemaOrg}name`, 'X', { certainty: 0.5 })]);
  expect(await found()).toEqual({ entities: [{ id: 'urn:x' }] });
});

test('an edge that somebody makes by hand makes no entity more certain, when its statements are removed', async () => {
  const update = (mutations: object[]) => call(service.url, 'knowledge/update', { mutations });
  await update([add('urn:h', `${schemaOrg}name`, 'H'), add('urn:h', `${world}region`, 'R', { certainty: 0.2 })]);
  await database.run(
    'WRITE',
    `MATCH (h:Entity {id: 'urn:h'})
     CREATE (o:Entity {tenant: 'other', id: 'urn:h'}), (o)-[:BORDERS {statementId: 'by hand'}]->(h),
       (h)-[:BORDERS]->(h), (h)-[:BORDERS {statementId: 'by hand too', certainty: 7}]->(h)`,
  );
  await update([remove('urn:h', `${schemaOrg}name`, 'H')]);
  const highest = `MATCH (e:Entity {id: 'urn:h'}) WHERE e.tenant <> 'other' RETURN e.highest__certainty AS highest`;
  expect(await database.run('READ', highest)).toEqual([{ highest: 0.2 }]);
});
