import { beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../../src/graph/database/database.ts';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import type { Service } from '../../../src/service/startService.ts';
import type { Editor } from '../../support/editor.ts';
import { type Follower, follow } from '../../support/events.ts';
import { add, schemaOrg, world } from '../../support/patches.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const capital = `${world}capital`;
const population = `${world}population`;
const name = `${schemaOrg}name`;
export const country = { type: `${schemaOrg}Country` };
const bern = { id: 'urn:bern', type: `${schemaOrg}City` };

const me = 'direct:neo4j';
export const che = "MATCH (c:Country {id: 'urn:che'})";

/** A Concord that takes edits by hand, with somebody who makes them and a subscriber. */
export interface Capturing extends Editor {
  service: Omit<Service, 'close'>;
  database: Database;
  /** Edits by hand, and tells what a subscriber was told of it. */
  told(query: string, parameters?: Record<string, unknown>): Promise<unknown[][]>;
  /** What an agent writes meanwhile. */
  update(mutations: object[]): Promise<void>;
  query(text: string, rest?: object): Promise<QueryResult>;
  proposals(): Promise<Record<string, unknown>[]>;
  /** The events that come next, of an edit that becomes so many. */
  next(count: number): Promise<Follower['events']>;
  /** Edges of current statements that are not as Concord writes them. */
  halfMade(): Promise<object[]>;
}

/** What edits by hand become, from whatever source Concord knows of them: every source passes all of it. */
export function registerCaptureTests(settings: Record<string, string>, useEditor: () => Editor): Capturing {
  const service = useService(settings);
  const database = useDatabase();
  const { edit, taken } = useEditor();

  let follower: Follower;
  /** Events that a test has not looked at yet begin here. */
  let seen = 0;

  beforeAll(async () => {
    follower = await follow(service.url, { subscriptionQuery: 'subscription { statementChanged { op } }' });
    await update([
      add('urn:che', name, 'Switzerland', country),
      add('urn:che', population, 8_000_000, country),
      add('urn:che', capital, bern, country),
      add('urn:bern', name, 'Bern', { type: bern.type }),
      add('urn:che', 'urn:p#knows', bern, country),
      add('urn:bern', 'urn:p#likes', { id: 'urn:che' }),
    ]);
  });

  async function update(mutations: object[], metadata = {}) {
    const { result, error } = await call<{ success: boolean; verificationDetails?: string }>(
      service.url,
      'knowledge/update',
      { mutations, metadata },
    );
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ success: true });
    await follower.until((each) => each.events.length >= seen + mutations.length);
    seen = follower.events.length;
  }

  /** Edits by hand, and tells what a subscriber was told of it. */
  async function told(query: string, parameters = {}) {
    await edit(query, parameters);
    await taken();
    const [row] = await edit<{ sequence: number }>(
      "MATCH (l:Ledger {tenant: 'default'}) RETURN l.sequence AS sequence",
    );
    await follower.until((each) => each.events.length >= (row?.sequence ?? 0));
    const events = follower.events.slice(seen);
    seen = follower.events.length;
    return events.map(({ op, statement, changeMetadata: { sourceAgentId } }) => [
      op,
      statement.subject.id,
      statement.predicate.id,
      'value' in statement.object ? statement.object.value : statement.object.id,
      sourceAgentId,
    ]);
  }

  async function query(text: string, rest: object = {}): Promise<QueryResult> {
    const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', { query: text, ...rest });
    expect(error).toBeUndefined();
    return result;
  }

  async function proposals() {
    const { result } = await call<{ proposals: Record<string, unknown>[] }>(service.url, 'knowledge/review', {
      action: 'list',
    });
    return result.proposals;
  }

  /** All edges of current statements are as Concord writes them. */
  async function halfMade() {
    return database.run(
      'READ',
      'MATCH (:Entity)-[r:!PAST]->() WHERE r.statementId IS NULL OR r.tenant IS NULL RETURN type(r)',
    );
  }

  test('a relationship that somebody makes is a statement of theirs, with an event and provenance', async () => {
    const events = await told(`${che}, (b:City {id: 'urn:bern'}) CREATE (b)-[:BORDERS {certainty: 0.75}]->(c)`);
    expect(events).toEqual([['add', 'urn:bern', `${world}borders`, 'urn:che', me]]);
    const statements =
      '{ cities(where: {name: {eq: "Bern"}}) { statements { predicate certainty provenance sourceAgentId } } }';
    const { data } = await query(statements);
    expect(data?.cities).toEqual([
      {
        statements: expect.arrayContaining([
          expect.objectContaining({ predicate: `${world}borders`, certainty: 0.75, sourceAgentId: me }),
        ]),
      },
    ]);
    expect(await halfMade()).toEqual([]);
  });

  test('a relationship that somebody deletes is retracted, and stays in history', async () => {
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await told(`${che}-[r:CAPITAL]->() DELETE r`)).toEqual([['remove', 'urn:che', capital, 'urn:bern', me]]);
    const capitals = '{ countries(where: {name: {eq: "Switzerland"}}) { capital { name } } }';
    expect((await query(capitals)).data).toEqual({ countries: [{ capital: [] }] });
    expect((await query(capitals, { metadata: { asOf: before } })).data).toEqual({
      countries: [{ capital: [{ name: 'Bern' }] }],
    });
    expect(await told(`${che}, (b:City {id: 'urn:bern'}) CREATE (c)-[:CAPITAL]->(b)`)).toEqual([
      ['add', 'urn:che', capital, 'urn:bern', me],
    ]);
  });

  test('a certainty that somebody sets is said by them; what it was stays in history', async () => {
    expect(await told(`${che}-[r:CAPITAL]->() SET r.certainty = 0.5`)).toEqual([
      ['replace', 'urn:che', capital, 'urn:bern', me],
    ]);
    const [edge] = await database.run(
      'READ',
      `${che}-[r:CAPITAL]->() RETURN r.certainty AS certainty, r.sourceAgentId AS by`,
    );
    expect(edge).toEqual({ certainty: 0.5, by: me });
  });

  test('a relationship of another type is another statement', async () => {
    const events = await told(`${che}-[r:KNOWS]->(b) CREATE (c)-[n:LIKES]->(b) SET n = properties(r) DELETE r`);
    expect(events.sort()).toEqual(
      [
        ['add', 'urn:che', 'urn:p#likes', 'urn:bern', me],
        ['remove', 'urn:che', 'urn:p#knows', 'urn:bern', me],
      ].sort(),
    );
    expect(await halfMade()).toEqual([]);
  });

  test('what Concord keeps on an edge is put back', async () => {
    const read = `${che}-[r:CAPITAL]->() RETURN properties(r) AS edge`;
    const before = await database.run('READ', read);
    expect(before).toHaveLength(1);
    expect(
      await told(`${che}-[r:CAPITAL]->() SET r.recordedAt = 'yesterday', r.revision = 'x' REMOVE r.statementId`),
    ).toEqual([]);
    expect(await database.run('READ', read)).toEqual(before);
  });

  test('a property that shows a field is a statement; one that is removed is none', async () => {
    expect(await told(`${che} SET c.population = 9000000`)).toEqual([
      ['remove', 'urn:che', population, 8_000_000, me],
      ['add', 'urn:che', population, 9_000_000, me],
    ]);
    const populations = '{ countries(where: {name: {eq: "Switzerland"}}) { population statements { predicate } } }';
    expect((await query(populations)).data).toMatchObject({ countries: [{ population: 9_000_000 }] });
    expect(await told(`${che} REMOVE c.population`)).toEqual([['remove', 'urn:che', population, 9_000_000, me]]);
    expect((await query(populations)).data).toMatchObject({ countries: [{ population: null }] });
  });

  test('the value of a literal that somebody sets is another statement', async () => {
    expect(await told("MATCH (:City {id: 'urn:bern'})-[:NAME]->(l) SET l.value = 'Berne'")).toEqual([
      ['remove', 'urn:bern', name, 'Bern', me],
      ['add', 'urn:bern', name, 'Berne', me],
    ]);
    expect((await query('{ cities { name } }')).data).toEqual({ cities: [{ name: 'Berne' }] });
  });

  test('a property of their own stays as it is, and is nothing to Concord', async () => {
    expect(await told(`${che} SET c.note = 'visited'`)).toEqual([]);
    expect(await database.run('READ', `${che} RETURN c.note AS note`)).toEqual([{ note: 'visited' }]);
  });

  test('a node that somebody makes is an entity, by its label and its id', async () => {
    const events = await told("CREATE (:Country {id: 'urn:aut', name: 'Austria', area: 83879.0})");
    expect(events).toEqual([
      ['add', 'urn:aut', name, 'Austria', me],
      ['add', 'urn:aut', `${world}area`, 83_879, me],
    ]);
    expect((await query('{ countries(where: {name: {eq: "Austria"}}) { id type area } }')).data).toEqual({
      countries: [{ id: 'urn:aut', type: country.type, area: 83_879 }],
    });
  });

  test('a node of an entity that is there already only says something of it', async () => {
    expect(
      await told("CREATE (:Country {id: 'urn:aut', population: 9000000})-[:CAPITAL]->(:City {id: 'urn:vienna'})"),
    ).toEqual([
      ['add', 'urn:aut', population, 9_000_000, me],
      ['add', 'urn:aut', capital, 'urn:vienna', me],
    ]);
    expect(await database.run('READ', "MATCH (c {id: 'urn:aut'}) RETURN count(c) AS nodes")).toEqual([{ nodes: 1 }]);
    expect(await halfMade()).toEqual([]);
  });

  test('a literal that somebody makes is a value of the entity that it hangs on', async () => {
    expect(
      await told("CREATE (:City {id: 'urn:lit'})-[:NAME {certainty: 0.5}]->(:Literal {value: 'Literally'})"),
    ).toEqual([['add', 'urn:lit', name, 'Literally', me]]);
    expect((await query('{ cities(where: {name: {eq: "Literally"}}) { id } }')).data).toEqual({
      cities: [{ id: 'urn:lit' }],
    });
    expect(await database.run('READ', 'MATCH (l:Literal) WHERE NOT (l)--() RETURN l')).toEqual([]);
  });

  test('an entity that is deleted with all its relationships has nothing said of it, and keeps its history', async () => {
    const events = await told("MATCH (c:Country {id: 'urn:aut'}) DETACH DELETE c");
    expect(events.map(([op, , predicate]) => [op, predicate]).sort()).toEqual(
      [name, `${world}area`, population, capital].map((each) => ['remove', each]).sort(),
    );
    expect(await database.run('READ', "MATCH ({id: 'urn:aut'})-[r:PAST]->() RETURN count(r) AS past")).toEqual([
      { past: 4 },
    ]);
    expect(await told("MATCH (c:Country {id: 'urn:aut'}) DETACH DELETE c")).toEqual([]);
    expect(await database.run('READ', "MATCH ({id: 'urn:aut'})-[r:PAST]->() RETURN count(r) AS past")).toEqual([
      { past: 4 },
    ]);
  });

  test('a relationship type without a predicate waits for a review, out of the graph', async () => {
    expect(await told(`${che}, (b:City {id: 'urn:bern'}) CREATE (c)-[:LIKES_BEST]->(b)`)).toEqual([]);
    const proposal = (await proposals()).at(-1);
    expect(proposal).toMatchObject({
      sourceAgentId: me,
      verificationDetails: expect.stringContaining('LIKES_BEST'),
      mutations: [
        add(
          'urn:che',
          `${schemaOrg}likesBest`,
          { id: 'urn:bern', type: bern.type },
          { type: country.type, provenance: expect.anything() as never },
        ),
      ],
    });
    expect(await database.run('READ', 'MATCH ()-[r:LIKES_BEST]->() RETURN r')).toEqual([]);
    await call(service.url, 'knowledge/review', { action: 'approve', updateId: proposal?.updateId });
    await follower.until(seen + 1);
    seen += 1;
    expect(await database.run('READ', 'MATCH ()-[r:LIKES_BEST]->() RETURN count(r) AS edges')).toEqual([{ edges: 1 }]);
  });

  test.each([
    ['a value that does not fit its field', `${che} SET c.area = 'big'`, /literal-type/],
    ['a certainty that is no number', `${che}-[r:NAME]->() SET r.certainty = 'high'`, /certainty.*is not a number/],
    ['a certainty beyond 1', `${che}-[r:NAME]->() SET r.certainty = 7.5`, /certainty/],
    ['a time that is none', `${che}-[r:NAME]->() SET r.observedAt = 'yesterday'`, /ISO 8601/],
    ['another class', `${che} REMOVE c:Country SET c:City`, /stays of its class/],
  ])('%s is put back, and waits for a review', async (_, text, reason) => {
    const read = `${che.replace(':Country', '')} OPTIONAL MATCH (c)-[r]->() WITH c, r ORDER BY elementId(r)
    RETURN labels(c) AS labels, properties(c) AS node, collect(properties(r)) AS edges`;
    const before = await database.run('READ', read);
    const waiting = (await proposals()).length;
    expect(await told(text)).toEqual([]);
    expect(await database.run('READ', read)).toEqual(before);
    const found = await proposals();
    expect(found).toHaveLength(waiting + 1);
    expect(found.at(-1)?.verificationDetails).toMatch(reason);
  });

  test('many rows of one transaction become statements', async () => {
    const rows = 100;
    await edit(
      `UNWIND range(1, $rows) AS i CREATE (:City {id: 'urn:city:' + i, name: 'City ' + i})-[:BORDERS]->(:Country {id: 'urn:country:' + i})`,
      { rows },
    );
    await taken();
    await follower.until(seen + 2 * rows);
    seen = follower.events.length;
    expect((await query('{ citiesConnection(where: {name: {startsWith: "City "}}) { totalCount } }')).data).toEqual({
      citiesConnection: { totalCount: rows },
    });
    expect(await halfMade()).toEqual([]);
  });

  test('what a purge erases does not come back by an edit that was made before', async () => {
    const lie = "MATCH (c:Country {id: 'urn:lie'})";
    await update([add('urn:lie', name, 'Liechtenstein', country)]);
    await edit(`${lie}-[r:NAME]->() SET r.certainty = 0.9`);
    const { error } = await call(service.url, 'knowledge/purge', { subject: 'urn:lie' });
    expect(error).toBeUndefined();
    await told('RETURN 1');
    expect(await database.run('READ', `${lie} RETURN c`)).toEqual([]);
    const left =
      "MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS 'Liechten') RETURN labels(n) AS labels";
    expect(await database.run('READ', left)).toEqual([]);
  });

  async function next(count: number) {
    await follower.until(seen + count);
    const events = follower.events.slice(seen);
    seen = follower.events.length;
    return events;
  }

  return { service, database, edit, taken, told, update, query, proposals, next, halfMade };
}
