import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { patchLines } from '../../src/cli/export/patchLines.ts';
import { QuadLines } from '../../src/cli/export/quadLines.ts';
import { statementRows } from '../../src/cli/export/rows.ts';
import { connect } from '../../src/client/index.ts';
import { follow } from '../support/events.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { add, remove } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useDatabase, useFolder, useService } from '../support/setUp.ts';
import { type Edit, edits } from './handEdits/edits.ts';
import { type Reading, readings, someReadings } from './handEdits/readings.ts';

/*
 * What somebody edits in Neo4j, past Concord, must not make a query fail, change what stands beside it, or show what
 * its reader may not see; and what it makes of a value or a link is the same in every reading.
 */

const base = 'https://example.org/hand#';
const closed = [{ rule: 'no-capitals', predicates: [`${base}capital`], to: { agents: ['outsider'] } }];
const folder = useFolder({ 'policy.json': JSON.stringify({ closed }) });
const service = useService({
  ...identities,
  CYPHER: 'true',
  VOCABULARY: 'test/journeys/handEdits/vocabulary.graphql',
  POLICY: join(folder, 'policy.json'),
  QUERY_DEFAULT_LIMIT: '5000',
  QUERY_MAX_COST: '1000000000',
  // Neo4j plans each reading first, which takes long on a busy machine.
  QUERY_TIMEOUT_MS: '600000',
});
const database = useDatabase();

interface Reader {
  agent: string;
  claims?: object;
  params?: object;
}

const census: Reader = { agent: 'census' };
const then = '2100-01-01T00:00:00Z';
const readers: Reader[] = [
  census,
  { agent: 'outsider' },
  { agent: 'census', params: { requiredCertainty: 0.3, metadata: { consulted: true } } },
  { agent: 'census', params: { metadata: { asOf: then } } },
  { agent: 'guest', claims: { graphs: ['default'] }, params: { maxAgeSeconds: 1_000_000_000 } },
];

const bearer = (tenant: string, { agent, claims }: Reader) => bearerOf({ tenant, sub: agent, ...claims });

const timestamp = '2024-05-06T07:08:09Z';
const of = { provenance: { source: 'atlas', timestamp } };

/** A country with its city and its neighbour. */
const countryOf = (id: string, name: string, area: number) => [
  add(id, `${base}name`, { value: name, language: 'en' }, { ...of, type: `${base}Country` }),
  add(id, `${base}area`, area, { ...of, certainty: 0.9 }),
  add(id, `${base}code`, id, of),
  add(id, `${base}population`, 50 + name.length, of),
  add(id, `${base}landlocked`, true, of),
  add(id, `${base}founded`, '1291-08-01', of),
  add(id, `${base}visited`, '2024-01-02T03:04:05Z', of),
  add(id, `${base}motto`, 'one', of),
  add(id, `${base}motto`, `all ${id}`, of),
  add(id, `${base}height`, 100, of),
  add(id, `${base}area`, 7, { ...of, certainty: 0.1 }),
  add(`${id}:city`, `${base}name`, `City of ${name}`, { ...of, type: `${base}City` }),
  add(`${id}:near`, `${base}name`, `Near ${name}`, { ...of, type: `${base}Country` }),
  add(id, `${base}capital`, { id: `${id}:city` }, { ...of, certainty: 0.8 }),
  add(id, `${base}borders`, { id: `${id}:near` }, { ...of, certainty: 0.7 }),
];

/** A country for each edit, and two that no edit is about. */
async function fill(tenant: string, count: number): Promise<void> {
  const beside = [...countryOf('urn:aut', 'Austria', 83_871), ...countryOf('urn:ita', 'Italy', 301_340)];
  const edited = Array.from({ length: count }, (_, index) => countryOf(idOf(index), `Country ${index}`, 100 + index));
  const joined = add('urn:aut', `${base}borders`, { id: 'urn:ita' }, { ...of, certainty: 0.6 });
  await update(tenant, census, [...beside, ...edited.flat(), joined]);
  const ids = ['urn:aut', ...edited.map((_, index) => idOf(index))];
  await update(
    tenant,
    census,
    ids.map((id) => remove(id, `${base}area`, 7)),
  );
}

const idOf = (index: number) => `urn:edited:${index}`;

async function update(tenant: string, reader: Reader, mutations: object[]): Promise<void> {
  const { result } = await call(service.url, 'knowledge/update', { mutations }, bearer(tenant, reader));
  expect(result).toMatchObject({ success: true });
}

type Told = Record<string, unknown>;

/** What a reading answers; a fault says what it is. */
async function read(tenant: string, reader: Reader, { query, language }: Reading, country: string): Promise<Told> {
  const asked = { query, variables: { country }, ...(language && { queryLanguage: language }), ...reader.params };
  const { result, error } = await call<{ data: Told }>(service.url, 'knowledge/query', asked, bearer(tenant, reader));
  return error ? { error } : result.data;
}

/** What every reader gets of every reading, by both. */
async function readAll(tenant: string, count: number): Promise<Map<string, Told>> {
  const all = new Map<string, Told>();
  for (const [number, reader] of readers.entries()) {
    const asked = reader === census ? readings : someReadings;
    for (const each of asked) all.set(`${number} ${each.name}`, await read(tenant, reader, each, 'urn:aut'));
  }
  const history = readings.find(({ name }) => name === 'history') as Reading;
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  const histories = await Promise.all(ids.map((id) => read(tenant, census, history, id)));
  for (const [index, id] of ids.entries()) all.set(`history of ${id}`, histories[index] as Told);
  return all;
}

/** Readings that name what is closed to who reads are refused, and don't count. */
const isClosed = ({ error }: Told) => (error as { code?: number } | undefined)?.code === -32013;

/** The rows that speak of nothing that an edit is about. */
function beside(told: Told): unknown[] {
  const rows = Object.values(told).flatMap((each) => {
    const inner = (each as { edges?: unknown[] } | null)?.edges;
    return Array.isArray(each) ? each : Array.isArray(inner) ? inner : [];
  });
  const about = rows.map((row) => JSON.stringify({ ...(row as Told), cursor: undefined }, inOrder));
  return about.filter((row) => /urn:(aut|ita)/.test(row) && !/urn:edited|Nowhere/.test(row)).sort();
}

/** Of lists that nobody has sorted, Neo4j has another order now and then. */
function inOrder(_name: string, value: unknown): unknown {
  const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
  return Array.isArray(value) ? [...value].sort(byText) : value;
}

/** What has gone wrong once these edits were made, each in a graph that they share. */
async function faultsOf(tenant: string, round: readonly Edit[]): Promise<unknown[]> {
  await fill(tenant, round.length);
  const before = await readAll(tenant, round.length);
  const faults: unknown[] = [...before].filter(([, told]) => told.error && !isClosed(told));
  for (const [index, { cypher }] of round.entries()) {
    const country = idOf(index);
    const ids = { country, city: `${country}:city`, neighbour: `${country}:near` };
    await database.run('WRITE', cypher, { tenant, other: 'other', ...ids });
  }
  for (const [where, told] of await readAll(tenant, round.length)) {
    if (isClosed(told)) continue;
    if (told.error) faults.push([where, told.error]);
    // The history tells of the update, which is that of all; `historyBeside` doesn't.
    else if (!where.endsWith(' history') && beside(told).join() !== beside(before.get(where) as Told).join())
      faults.push([where, 'beside', beside(told), beside(before.get(where) as Told)]);
    // A time may have 37.5 seconds.
    if (/yesterday|"high"|[:[,]7\.5\b|"big"|Other/.test(JSON.stringify(told))) faults.push([where, 'shown', told]);
    const rows = objectsIn(told);
    for (const [index, { name, reads }] of round.entries()) {
      // Other readers see the values of statements, whatever stands in their place on the entity.
      if (reads === undefined || (typeof reads === 'object' && 'unknown' in reads && !/^[01] /.test(where))) continue;
      const shown = shownOf(rows, idOf(index), reads);
      if (shown.length > 0) faults.push([where, name, shown]);
    }
  }
  return [...faults, ...(await elsewhere(tenant))];
}

beforeAll(async () => {
  const others = [...countryOf('urn:aut', 'Other Austria', 1), ...countryOf(idOf(0), 'Other', 1)];
  await update('other', census, others);
});

const perRound = 60;
const rounds = Array.from({ length: Math.ceil(edits.length / perRound) }, (_, at) =>
  edits.slice(at * perRound, (at + 1) * perRound),
);
const only = process.env.EDIT;

test.each(only ? [[0, edits.filter(({ name }) => name.includes(only))] as const] : [...rounds.entries()])(
  'edits of round %s fail no query, change nothing beside them, and are read alike by all',
  async (number, round) => {
    expect(await faultsOf(`round-${number}`, round)).toEqual([]);
  },
);

/** What goes wrong where it is read otherwise than by a query: in an export, and in the log from its beginning. */
async function elsewhere(tenant: string): Promise<unknown[]> {
  const headers = bearer(tenant, census);
  const client = await connect(service.url, { headers });
  const lines: string[] = [];
  const faults: unknown[] = [];
  try {
    for await (const rows of statementRows(client, {})) {
      lines.push(...patchLines(rows, false), ...new QuadLines({ rdf: '1.2', annotations: 'triple-terms' }).of(rows));
    }
  } catch (error) {
    faults.push(['export', String(error)]);
  }
  if (/yesterday|Other/.test(lines.join(''))) faults.push(['export', lines]);
  if (!lines.some((line) => line.includes('Italy'))) faults.push(['export', 'what stands beside is not there']);
  const subscriptionQuery = 'subscription { statementChanged { op } }';
  const follower = await follow(service.url, { subscriptionQuery, metadata: { afterSequence: 0 } }, headers);
  await follower.until(30);
  if (follower.error) faults.push(['log', follower.error]);
  follower.close();
  return faults;
}

/** The links that are told of a country, from either end. */
function linked(rows: Told[], id: string): unknown[] {
  const ends = new RegExp(`${id}:(city|near)"|(City of|Near) Country ${id.split(':').at(-1)}"`);
  const isOf = (row: Told) => row.id === id || row.subject === id;
  return [
    ...rows.filter((row) => isOf(row) && !row.retractedAt && ends.test(JSON.stringify(row))),
    ...rows.filter((row) => row.id === `${id}:city` && JSON.stringify(row).includes(`"${id}"`)),
  ];
}

/** What is told of a country that may not be. */
function shownOf(rows: Told[], id: string, reads: NonNullable<Edit['reads']>): unknown[] {
  if (reads === 'unstated') return linked(rows, id);
  return 'unknown' in reads ? known(rows, id, reads.unknown) : told(rows, id, reads.untold);
}

/** What a property of its links is told to be. */
function told(rows: Told[], id: string, name: string): unknown[] {
  const edges = rows.flatMap((row) => {
    const end = (row.node ?? row.object ?? { id: row.other }) as Told;
    const isLink = end.id === `${id}:city` || end.id === `${id}:near`;
    return isLink && !row.retractedAt ? [(row.properties ?? row) as Told] : [];
  });
  const values = edges.flatMap((edge) => [edge[name], ...((edge.sources ?? []) as Told[]).map((each) => each[name])]);
  return values.filter((value) => value !== undefined && value !== null && value !== '');
}

/** What a field of an entity is told to be. */
function known(rows: Told[], id: string, field: string): unknown[] {
  const values = rows.filter((row) => row.id === id).map((row) => row[field]);
  return values.filter((value) => value !== undefined && value !== null);
}

function objectsIn(value: unknown): Told[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Told, ...Object.values(value).flatMap(objectsIn)];
}
