import { beforeAll, describe, expect, test } from '@jest/globals';
import { graphql } from 'graphql';
import type { ReadParts } from '../../../src/graph/reading/readTransaction.ts';
import { ReadTransaction } from '../../../src/graph/reading/readTransaction.ts';
import { hasMatching, matchingOf } from '../../../src/graph/search/matching.ts';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import { buildSchema } from '../../../src/schema/schema.ts';
import { parseVocabulary } from '../../../src/vocabulary/parse.ts';
import { Random } from '../../graph/qualify/random.ts';
import { names, projectedFields } from '../../graph/qualify/vocabulary.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add } from '../../support/patches.ts';
import { operatorsOf } from '../../support/plans.ts';
import { Qualifier } from '../../support/qualifier.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useFolder, useService } from '../../support/setUp.ts';

const base = 'https://example.org/library#';
const [open, inner] = ['urn:g:open', 'urn:g:inner'];

const sdl = `extend schema @vocabulary(base: "${base}")
  type Book @class {
    title: String @predicate(indexed: true)
    subjects: [String!]!
    note: String
    pages: Int
  }
  type Shelf @class { title: String @predicate(indexed: true) room: Int }`;
const folder = useFolder({
  'library.graphql': sdl,
  'policy.json': JSON.stringify({
    closed: [{ rule: 'staff', predicates: [`${base}note`], except: { agents: ['staff'] } }],
  }),
});
const service = useService({
  ...identities,
  TENANTS: 'north,south',
  VOCABULARY: `${folder}/library.graphql`,
  POLICY: `${folder}/policy.json`,
});
const database = useDatabase();

const words = ['France', 'Frances', 'Francs', 'Germany', 'River', 'rivers', 'the', 'of', 'Republic', 'Öl'];
const random = new Random(7);
const aText = () => Array.from({ length: 1 + random.below(4) }, () => random.pick(words)).join(' ');
const books = Array.from({ length: 60 }, (_, index) => `urn:b:${String(index).padStart(2, '0')}`);

interface Said {
  subject: string;
  field: 'title' | 'subjects';
  value: string;
  certainty: number;
  graph: string;
}

/** Of each book up to two titles, the second the more certain, and up to two subjects, in two graphs. */
const said: Said[] = books.flatMap((subject) =>
  (['title', 'subjects'] as const).flatMap((field) =>
    [0.3, 0.8]
      .filter(() => random.chance(0.7))
      .map((certainty) => ({ subject, field, value: aText(), certainty, graph: random.pick([open, inner]) })),
  ),
);

beforeAll(async () => {
  const type = `${base}Book`;
  const mutations = said.map(({ subject, field, value, certainty, graph }) =>
    add(subject, base + field, value, { type, certainty, graph }),
  );
  mutations.push(
    ...books.map((subject, index) => add(subject, `${base}pages`, index, { type, graph: open })),
    add('urn:b:00', `${base}note`, 'marginalia', { graph: open }),
    add('urn:s:1', `${base}title`, 'France', { type: `${base}Shelf`, graph: open }),
  );
  const { error } = await call(service.url, 'knowledge/update', { mutations }, bearer('staff'));
  expect(error).toBeUndefined();
  const other = [add('urn:b:south', `${base}title`, 'France', { type })];
  await call(service.url, 'knowledge/update', { mutations: other }, bearerOf({ tenant: 'south', sub: 'staff' }));
  await database.run('READ', 'CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()');
});

const bearer = (sub: string, graphs?: string[]) => bearerOf({ tenant: 'north', sub, ...(graphs && { graphs }) });

interface Reader {
  agent: string;
  graphs?: string[];
  requiredCertainty?: number;
  metadata?: object;
}

async function ask(query: string, { agent, graphs, ...rest }: Reader, variables: object = {}) {
  const params = { query, variables, ...rest };
  const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', params, bearer(agent, graphs));
  if (error) throw new Error(JSON.stringify(error));
  return { ...result, data: result.data ?? {} };
}

const text = `query ($matching: BookMatching, $where: BookWhere) {
  books(matching: $matching, where: $where, sort: [{id: ASC}]) { id } }`;

async function found(reader: Reader, matching: object, where?: object): Promise<string[]> {
  const { data } = await ask(text, reader, { matching, ...(where && { where }) });
  return (data.books as { id: string }[]).map(({ id }) => id);
}

/** The books of which a reader sees what is asked for. */
function expected({ graphs, requiredCertainty = 0 }: Reader, field: Said['field'], asked: string): string[] {
  const matching = matchingOf(asked);
  if (typeof matching === 'string') throw new Error(matching);
  return books.filter((subject) => {
    const seen = said
      .filter((each) => each.subject === subject && each.field === field && each.certainty >= requiredCertainty)
      .filter(({ graph }) => graphs?.includes(graph) ?? true)
      .sort((one, other) => other.certainty - one.certainty);
    return (field === 'title' ? seen.slice(0, 1) : seen).some(({ value }) => hasMatching(matching, value));
  });
}

const readers: [string, Reader][] = [
  ['all', { agent: 'guest' }],
  ['what is certain enough', { agent: 'guest', requiredCertainty: 0.5 }],
  ['one graph', { agent: 'guest', graphs: [open] }],
  ['what is certain enough in one graph', { agent: 'guest', graphs: [inner], requiredCertainty: 0.5 }],
  ['a time', { agent: 'guest', metadata: { asOf: '2100-01-01T00:00:00Z' } }],
];

describe.each(readers)('who sees %s', (_, reader) => {
  test.each(['title', 'subjects'] as const)('finds by what they see of %s, and by nothing else', async (field) => {
    let least = books.length;
    for (const asked of ['france', 'frnace', 'rivr germny', 'republ', '"the france"', 'of "the river"', 'öl', 'x']) {
      const wanted = expected(reader, field, asked);
      expect([asked, await found(reader, { [field]: asked })]).toEqual([asked, wanted]);
      if (wanted.length > 0) least = Math.min(least, wanted.length);
    }
    expect(least).toBeLessThan(books.length / 2);
  });
});

test('several fields and conditions hold together', async () => {
  const guest: Reader = { agent: 'guest' };
  const both = expected(guest, 'title', 'river').filter((id) => expected(guest, 'subjects', 'france').includes(id));
  expect(both.length).toBeGreaterThan(1);
  expect(await found(guest, { title: 'river', subjects: 'france' })).toEqual(both);
  const [first = ''] = both;
  expect(await found(guest, { title: 'river', subjects: 'france' }, { NOT: { id: { eq: first } } })).toEqual(
    both.slice(1),
  );
  expect(await found(guest, { title: null }, { id: { eq: first } })).toEqual([first]);
});

test('a connection is searched page by page, and so are groups', async () => {
  const guest: Reader = { agent: 'guest' };
  const wanted = expected(guest, 'title', 'france');
  const ids: string[] = [];
  for (let after = ''; ; ) {
    const page = `{ booksConnection(matching: {title: "france"}, first: 3${after}) {
      totalCount edges { node { id } } pageInfo { endCursor hasNextPage } } }`;
    const { data } = await ask(page, guest);
    const { totalCount, edges, pageInfo } = data.booksConnection as {
      totalCount: number;
      edges: { node: { id: string } }[];
      pageInfo: { endCursor: string; hasNextPage: boolean };
    };
    expect(totalCount).toBe(wanted.length);
    ids.push(...edges.map(({ node }) => node.id));
    if (!pageInfo.hasNextPage) break;
    after = `, after: "${pageInfo.endCursor}"`;
  }
  expect(ids).toEqual(wanted);
  const { data } = await ask('{ booksGroupBy(matching: {title: "france"}) { count keys { title } } }', guest);
  const groups = data.booksGroupBy as { count: number }[];
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length);
});

test('what is closed may not be searched', async () => {
  await expect(found({ agent: 'guest' }, { note: 'marginalia' })).rejects.toThrow(/closed-predicate/);
  expect(await found({ agent: 'staff' }, { note: 'marginala' })).toEqual(['urn:b:00']);
});

test('an answer rests on what it shows, not on what was looked at to find it', async () => {
  const { queryMetadata } = await ask('{ books(matching: {title: "france"}) { pages } }', {
    agent: 'guest',
    metadata: { consulted: true },
  });
  const wanted = expected({ agent: 'guest' }, 'title', 'france').length;
  expect(queryMetadata.consulted).toMatchObject({ statements: wanted });
});

test.each([
  ['', 'has no word'],
  ['a b c d e f g h i j k l m', 'has 13 words, more than 12'],
  ['x'.repeat(300), 'has 300 characters, more than 200'],
])('the text "%s" is refused', async (asked, fault) => {
  await expect(found({ agent: 'guest' }, { title: asked })).rejects.toThrow(
    `The argument 'matching' of 'books' ${fault} in 'title'`,
  );
});

test('how many hidden entities have a text decides nothing', async () => {
  const shelves = Array.from({ length: 80 }, (_, index) =>
    add(`urn:s:many:${index}`, `${base}title`, 'Zanzibar', { type: `${base}Shelf`, graph: open }),
  );
  const book = add('urn:b:zanzibar', `${base}title`, 'Zanzibar', { type: `${base}Book`, graph: open });
  await call(service.url, 'knowledge/update', { mutations: [...shelves, book] }, bearer('staff'));
  await database.run('READ', 'CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()');
  const vocabulary = parseVocabulary(sdl, 'library.graphql');
  const schema = await buildSchema(vocabulary, names);
  const parts: ReadParts = {
    database,
    qualifier: new Qualifier(projectedFields(vocabulary)),
    onUnconfined: () => {},
    timeoutMs: 60_000,
    maxRows: 70,
    maxBytes: 1_000_000,
  };
  const tx = new ReadTransaction(parts, { tenant: 'north' }, new AbortController().signal);
  const source = '{ books(matching: {title: "zanzibar"}) { id } }';
  const { data, errors } = await graphql({ schema, source, contextValue: { executionContext: tx } });
  expect(errors).toBeUndefined();
  expect(data?.books).toEqual([{ id: 'urn:b:zanzibar' }]);
  // Not how many pages of the index there are.
  expect(await tx.summary()).toMatchObject({ queries: 1 });
  tx.end();
});

test('the index tells which entities are looked at', async () => {
  const vocabulary = parseVocabulary(sdl, 'library.graphql');
  const schema = await buildSchema(vocabulary, names);
  const asked: [string, Record<string, unknown> | undefined][] = [];
  const watched: ReadParts['database'] = Object.create(database, {
    beginRead: {
      value: (...given: Parameters<typeof database.beginRead>) => {
        const read = database.beginRead(...given);
        const recorded = (queries: typeof read.tx): typeof read.tx => ({
          run: (query, parameters) => {
            asked.push([query, parameters]);
            return queries.run(query, parameters);
          },
        });
        return { ...read, tx: recorded(read.tx), own: recorded(read.own) };
      },
    },
  });
  const parts: ReadParts = {
    database: watched,
    qualifier: new Qualifier(projectedFields(vocabulary)),
    onUnconfined: () => {},
    timeoutMs: 60_000,
    maxRows: 1_000,
    maxBytes: 1_000_000,
  };
  const tx = new ReadTransaction(parts, { tenant: 'north' }, new AbortController().signal);
  const source = '{ books(matching: {title: "frnace"}) { id } }';
  const { data, errors } = await graphql({ schema, source, contextValue: { executionContext: tx } });
  tx.end();
  expect(errors).toBeUndefined();
  expect(data?.books).toHaveLength(expected({ agent: 'guest' }, 'title', 'frnace').length);
  const session = database.session('READ');
  const plans: string[][] = [];
  for (const [query, parameters] of asked) {
    if (/Ledger|dbms\.components/.test(query)) continue;
    const { plan } = (await session.run(`EXPLAIN ${query}`, parameters)).summary;
    plans.push(plan ? operatorsOf(plan) : []);
  }
  await session.close();
  expect(plans).toHaveLength(3);
  expect(plans[0]).toContain('ProcedureCall');
  expect(plans.flat().filter((each) => /Scan/.test(each))).toEqual([]);
  for (const plan of plans.slice(1)) expect(plan.some((each) => /IndexSeek/.test(each))).toBe(true);
});
