import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { QueryResult } from '../../src/knowledge/query/query.ts';
import type { ReviewItem } from '../../src/knowledge/review/review.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { follow } from '../support/events.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, replace, schemaOrg, world } from '../support/patches.ts';
import { call, startServiceOnGraph } from '../support/service.ts';
import { useFolder, useService } from '../support/setUp.ts';

const population = `${world}population`;
const capital = `${world}capital`;
const language = `${schemaOrg}Language`;
const secretName = 'urn:predicate:codename';
const country = 'urn:c:che';

/** Closed to all but the census: a projected predicate, a link, a predicate of no vocabulary, and a class. */
const policy = {
  closed: [
    {
      rule: 'census-only',
      predicates: [population, capital, secretName],
      classes: [language],
      except: { agents: ['census'] },
    },
  ],
};
const folder = useFolder({ 'policy.json': JSON.stringify(policy) });
const file = join(folder, 'policy.json');
const service = useService({
  ...identities,
  AGENT_TRUST: 'newcomer=0.1',
  TENANTS: 'north',
  POLICY: file,
});
beforeAll(async () => {
  await update('census', [
    add(country, `${schemaOrg}name`, 'Switzerland', { type: `${schemaOrg}Country` }),
    add(country, population, 9_000_000),
    add(country, `${world}area`, 41_284),
    add(country, capital, { id: 'urn:c:bern', type: `${schemaOrg}City` }),
    add('urn:c:bern', `${schemaOrg}name`, 'Bern'),
    add(country, `${world}language`, { id: 'urn:l:roh', type: language }),
    add('urn:l:roh', `${schemaOrg}name`, 'Romansh'),
    add(country, secretName, 'edelweiss'),
    add('urn:c:hidden', secretName, 'only this is said of it'),
  ]);
});
beforeEach(() => change(policy));

const bearer = (agent: string) =>
  bearerOf({
    tenant: 'north',
    sub: agent,
    scope: 'knowledge:query knowledge:update knowledge:subscribe knowledge:review',
  });
const send = <Result>(agent: string, method: string, params: object) =>
  call<Result>(service.url, method, params, bearer(agent));
const update = (agent: string, mutations: object[], rest: object = {}) =>
  send<UpdateResult>(agent, 'knowledge/update', { mutations, ...rest });
const query = (agent: string, text: string, rest: object = {}) =>
  send<QueryResult>(agent, 'knowledge/query', { query: text, ...rest });
const subscribe = (agent: string, where = '') =>
  follow(
    service.url,
    { subscriptionQuery: `subscription { statementChanged${where && `(where: ${where})`} { op } }` },
    bearer(agent),
  );

/** Asks until the answer is the expected one, for a policy that has changed holds within a second or so. */
async function until(expected: boolean, isClosed: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; (await isClosed()) !== expected; ) {
    if (Date.now() > end) throw new Error('The policy did not come to hold within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Writes another policy and waits until it holds, which a rule of its own shows. */
let changes = 0;
let current: object = policy;
async function change(to: { closed: object[] }): Promise<void> {
  if (to === current) return;
  current = to;
  changes += 1;
  const mark = `urn:mark:${changes}`;
  await writeFile(
    file,
    JSON.stringify({
      closed: [...to.closed, { rule: 'mark', predicates: [mark], to: { agents: ['watcher'] } }],
    }),
  );
  const text = `{ entities { statements(predicate: "${mark}") { id } } }`;
  await until(true, async () => (await query('watcher', text)).error !== undefined);
}

const closedPredicate = (predicate: string) => ({
  code: -32013,
  message: `The predicate ${predicate} is closed to the caller (policy rule census-only)`,
  data: { reason: 'closed-predicate', predicate, rule: 'census-only', retryable: false },
});
const closedClass = {
  code: -32013,
  message: `The class ${language} is closed to the caller (policy rule census-only)`,
  data: { reason: 'closed-class', class: language, rule: 'census-only', retryable: false },
};

const naming: [string, object, string][] = [
  ['{ countries { population } }', {}, population],
  ['{ countries { people: population } }', {}, population],
  ['{ countries { ...F } } fragment F on Country { population }', {}, population],
  ['{ countries(where: {population: {gt: 1}}) { name } }', {}, population],
  ['{ countries(where: {NOT: {OR: [{population: {eq: null}}]}}) { name } }', {}, population],
  ['query ($w: CountryWhere) { countries(where: $w) { name } }', { w: { population: { gt: 1 } } }, population],
  ['{ countries(sort: {population: ASC}) { name } }', {}, population],
  ['{ countriesConnection { aggregate { node { population { max } } } } }', {}, population],
  ['{ countriesConnection { edges { node { population } } } }', {}, population],
  ['{ countries { borders { population } } }', {}, population],
  ['{ countries { bordersConnection { edges { node { population } } } } }', {}, population],
  ['{ countries { capital { name } } }', {}, capital],
  ['{ countries(where: {capital: {some: {name: {eq: "Bern"}}}}) { name } }', {}, capital],
  ['{ countries { capitalConnection { aggregate { count { nodes } } } } }', {}, capital],
  ['{ cities { capitalOf { name } } }', {}, capital],
  [`{ countries { statements(predicate: ["${population}"]) { id } } }`, {}, population],
  [`{ countries { statements(predicate: "${secretName}") { id } } }`, {}, secretName],
  [
    'query ($p: [String!]) { countries { borders { statements(predicate: $p) { id } } } }',
    { p: ['urn:x', secretName] },
    secretName,
  ],
  [
    'query ($p: String!) { entities { ...F } } fragment F on Entity { incomingStatements(predicate: [$p]) { id } }',
    { p: capital },
    capital,
  ],
  [`query ($p: [String!] = ["${capital}"]) { entities { statements(predicate: $p) { id } } }`, {}, capital],
  [
    `{ countries { bordersConnection(where: {edge: {OR: [{predicate: {in: ["${capital}"]}}]}}) { edges { cursor } } } }`,
    {},
    capital,
  ],
];

test.each(naming)(
  'a query that names a closed predicate is refused, through both doors: %s',
  async (text, variables, predicate) => {
    expect((await query('scout', text, { variables })).error).toEqual(closedPredicate(predicate));
    expect((await query('scout', text, { variables, requiredCertainty: 0.5 })).error?.code).toBe(-32013);
    const { code, message, data } = closedPredicate(predicate);
    const { status, body } = await askGraphql('scout', text, variables);
    expect([status, body.data ?? null]).toEqual([200, null]);
    expect(body.errors[0]).toMatchObject({ message, extensions: { code, ...data } });
    expect((await query('census', text, { variables })).error).toBeUndefined();
  },
);

test.each<[string, object]>([
  ['{ languages { id } }', {}],
  ['{ languagesConnection { aggregate { count { nodes } } } }', {}],
  ['{ countries { languages { name } } }', {}],
  ['{ countries(where: {languages: {some: {name: {eq: "Romansh"}}}}) { name } }', {}],
  [`{ entities(where: {type: {eq: "${language}"}}) { id } }`, {}],
  ['query ($w: EntityWhere) { entities(where: $w) { id } }', { w: { NOT: { type: { in: [language] } } } }],
])('so is one that names a closed class: %s', async (text, variables) => {
  expect((await query('scout', text, { variables })).error).toEqual(closedClass);
  expect((await askGraphql('scout', text, variables)).body.errors[0]?.message).toBe(closedClass.message);
  expect((await query('census', text, { variables })).error).toBeUndefined();
});

test('of several operations in a document, the one that is asked for is looked at, with its variables', async () => {
  const text = `query Names { countries { name } }
    query Closed($p: [String!]) { countries { statements(predicate: $p) { id } } }`;
  const variables = { p: [secretName] };
  const { body } = await askGraphql('scout', text, variables, 'Closed');
  expect(body.errors[0]?.extensions).toMatchObject({ code: -32013, predicate: secretName });
  expect((await askGraphql('scout', text, variables, 'Names')).body.data).toEqual({
    countries: [{ name: 'Switzerland' }],
  });
});

async function askGraphql(agent: string, text: string, variables: object, operationName?: string) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(agent) },
    body: JSON.stringify({ query: text, variables, operationName }),
  });
  type Body = { data?: unknown; errors: { message: string; extensions: object }[] };
  return { status: response.status, body: (await response.json()) as Body };
}

test('what a query does not name and is closed is not there, for those to whom it is closed', async () => {
  const text = `{
    countries { name area statements { predicate object { id value } } }
    countriesConnection { aggregate { count { nodes } node { area { max } } } }
    entities(sort: {id: ASC}) { id type statements { predicate } incomingStatements { predicate } }
  }`;
  const name = `${schemaOrg}name`;
  const seen = {
    countries: [
      {
        name: 'Switzerland',
        area: 41_284,
        statements: [
          { predicate: `${world}area`, object: { id: null, value: 41_284 } },
          { predicate: name, object: { id: null, value: 'Switzerland' } },
        ],
      },
    ],
    countriesConnection: { aggregate: { count: { nodes: 1 }, node: { area: { max: 41_284 } } } },
    entities: [
      {
        id: 'urn:c:bern',
        type: `${schemaOrg}City`,
        statements: [{ predicate: name }],
        incomingStatements: [],
      },
      {
        id: country,
        type: `${schemaOrg}Country`,
        statements: [{ predicate: `${world}area` }, { predicate: name }],
        incomingStatements: [],
      },
    ],
  };
  const { result } = await query('scout', text);
  expect(result.data).toEqual(seen);
  const { data } = (await query('census', text)).result;
  expect((data as typeof seen).entities).toHaveLength(4);
  expect((data as typeof seen).countries[0]?.statements).toHaveLength(6);
});

test('a policy that changes holds for the next query; a faulty one leaves that of before', async () => {
  const text = '{ countries { population } }';
  const isClosed = async () => (await query('scout', text)).error !== undefined;
  await change({ closed: [] });
  expect(await isClosed()).toBe(false);
  await change(policy);
  expect(await isClosed()).toBe(true);
  await writeFile(file, '{"closed": "nothing"}');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await isClosed()).toBe(true);
});

test('a predicate that comes into being after it was closed is closed', async () => {
  const predicate = 'urn:predicate:of-tomorrow';
  await change({
    closed: [{ rule: 'census-only', predicates: [predicate], except: { agents: ['census'] } }],
  });
  await update('census', [add('urn:c:tomorrow', predicate, 1)]);
  const text = '{ entities(where: {id: {eq: "urn:c:tomorrow"}}) { id statements { predicate } } }';
  expect((await query('scout', text)).result.data).toEqual({ entities: [] });
  expect((await query('census', text)).result.data).toEqual({
    entities: [{ id: 'urn:c:tomorrow', statements: [{ predicate }] }],
  });
});

test('a subscription that names what is closed is refused', async () => {
  for (const where of [`{predicate: {eq: "${population}"}}`, `{predicate: {in: ["urn:x", "${population}"]}}`]) {
    const { error } = await subscribe('scout', where);
    expect(error).toMatchObject(closedPredicate(population));
  }
  const follower = await subscribe('census', `{predicate: {eq: "${population}"}}`);
  expect(follower.error).toBeUndefined();
  follower.close();
});

test('other subscriptions go on without what is closed, as the policy has it at each event', async () => {
  const [scout, census] = [await subscribe('scout'), await subscribe('census')];
  const area = `${world}area`;
  await update('census', [
    add('urn:s:1', population, 1),
    // Only the first says the class; the graph knows it of the others.
    add('urn:s:tongue', `${schemaOrg}name`, 'Tongue', { type: language }),
    add('urn:s:1', area, 1),
  ]);
  await update('census', [add('urn:s:tongue', area, 2), add('urn:s:2', 'urn:p:speaks', { id: 'urn:s:tongue' })]);
  await update('census', [add('urn:s:2', 'urn:p:speaks', { id: 'urn:s:other' })]);
  await update('census', [replace('urn:s:2', 'urn:p:speaks', { id: 'urn:s:third' })]);
  await census.until(7);
  await scout.until(3);
  await change({ closed: [{ rule: 'no-areas', predicates: [area], to: { agents: ['scout'] } }] });
  await update('census', [add('urn:s:1', area, 3), add('urn:s:1', population, 3)]);
  await census.until(9);
  await scout.until(4);
  expect(
    scout.events.map(({ statement: { subject, predicate, object } }) => [subject.id, predicate.id, object]),
  ).toEqual([
    ['urn:s:1', area, expect.objectContaining({ value: 1 })],
    ['urn:s:2', 'urn:p:speaks', { id: 'urn:s:other' }],
    ['urn:s:2', 'urn:p:speaks', { id: 'urn:s:third' }],
    ['urn:s:1', population, expect.objectContaining({ value: 3 })],
  ]);
  const previous = (events: typeof scout.events) =>
    events
      .find(({ op }) => op === 'replace')
      ?.changeMetadata.previous?.map(({ object }) => ('id' in object ? object.id : object.value))
      .sort();
  expect(previous(census.events)).toEqual(['urn:s:other', 'urn:s:tongue']);
  expect(previous(scout.events)).toEqual(['urn:s:other']);
  scout.close();
  census.close();
});

test('a verdict quotes nothing that is closed to the proposer', async () => {
  const code = `${world}code`;
  await update('census', [add(country, code, 'CHE')]);
  await change({
    closed: [{ rule: 'codes', predicates: [code], classes: [language], except: { agents: ['census'] } }],
  });
  const mutations = [add(country, code, 'SUI'), add('urn:l:roh', `${world}area`, 1, { type: `${schemaOrg}City` })];
  const told = (await update('scout', mutations)).result;
  expect(told.verificationStatus).toBe('Rejected - Constraint Violation');
  expect(told.violations).toEqual(
    expect.arrayContaining([
      {
        rule: 'functional-predicate',
        severity: 'reject',
        subject: country,
        predicate: code,
        message: 'a functional predicate has at most one object for a subject in a graph',
      },
    ]),
  );
  expect(JSON.stringify(told)).not.toMatch(/CHE|Language/);
  expect(JSON.stringify((await update('census', mutations)).result)).toMatch(/CHE.*Language|Language.*CHE/s);
});

test('a reviewer sees and decides only what is open to it', async () => {
  const { result } = await update('newcomer', [
    add('urn:r:1', `${world}area`, 1),
    add('urn:r:1', population, 77_777),
    add('urn:l:roh', `${world}area`, 2),
  ]);
  const list = async (agent: string) => {
    const { proposals } = (await send<{ proposals: ReviewItem[] }>(agent, 'knowledge/review', { action: 'list' }))
      .result;
    return proposals.find(({ updateId }) => updateId === result.updateId);
  };
  expect((await list('scout'))?.mutations?.map(({ statement }) => statement.predicate.id)).toEqual([`${world}area`]);
  expect(JSON.stringify(await list('scout'))).not.toMatch(/77777|verificationDetails/);
  expect((await list('census'))?.mutations).toHaveLength(3);
  for (const action of ['approve', 'reject']) {
    const refused = await send('scout', 'knowledge/review', { action, updateId: result.updateId });
    expect(refused.error).toMatchObject(closedPredicate(population));
  }
  const approved = await send('census', 'knowledge/review', { action: 'approve', updateId: result.updateId });
  expect(approved.result).toMatchObject({ verificationStatus: 'Verified' });
});

test('a reviewer is told of the verdict only what is open to it', async () => {
  const subject = 'urn:r:code';
  const { result } = await update('newcomer', [add(subject, `${world}code`, 'held')]);
  await update('census', [add(subject, `${world}code`, 'quoted')]);
  const verdict = async (agent: string) => {
    const params = { action: 'approve', updateId: result.updateId };
    return JSON.stringify((await send<UpdateResult>(agent, 'knowledge/review', params)).result);
  };
  expect(await verdict('scout')).toMatch(/^(?!.*quoted).*functional-predicate/s);
  expect(await verdict('census')).toContain('quoted');
});

test('a review is that of who makes it, whatever reviewer it names', async () => {
  const decided = async (action: string) => {
    const { result } = await update('newcomer', [add(`urn:r:${action}`, `${world}area`, 1)]);
    const { updateId } = result;
    await send('census', 'knowledge/review', { action, updateId, reviewerId: 'scout' });
    const status = action === 'approve' ? 'applied' : 'rejected';
    const params = { action: 'list', status, first: 100 };
    const listed = await send<{ proposals: ReviewItem[] }>('census', 'knowledge/review', params);
    return listed.result.proposals.find((each) => each.updateId === updateId)?.reviewedBy;
  };
  expect([await decided('approve'), await decided('reject')]).toEqual(['census', 'census']);
});

test('a faulty policy stops the start', async () => {
  const faulty = join(folder, 'faulty.json');
  await writeFile(faulty, '{"closed": [{"rule": "x"}]}');
  await expect(startServiceOnGraph({ POLICY: faulty })).rejects.toThrow(
    `POLICY: ${faulty}: closed[0]: names neither classes nor predicates`,
  );
});
