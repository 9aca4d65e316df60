import type { Bench, Figure, Suite } from './bench.ts';
import { call } from './client.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { type EmptyNeo4j, openNeo4j } from './neo4j.ts';
import { fields, loadStations } from './pagingGraph.ts';
import { startConcord } from './servers.ts';
import { writeVocabulary } from './stations.ts';
import { median } from './statistics.ts';

/** Entities on a page. */
const perPage = 10;
const pages = [1, 100, 1_000];

const certainty = 0.5;
/** More than this share of the entities have a name that is certain enough: behind them plain Cypher has no more. */
const shownShare = 0.9;

/**
 * Pages of a sorted connection by an indexed and by another field, without and with a required certainty, beside plain
 * Cypher of the same.
 */
export const paging: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const machine = await describeMachine(neo4j.driver);
  const vocabulary = await writeVocabulary(neo4j.directory);
  const { url } = await startConcord(bench, neo4j.server, vocabulary, { CAPTURE: 'off' });
  const sizes = bench.quick ? [2_000] : [10_000, 100_000, ...(bench.large ? [1_000_000] : [])];
  const figures: Figure[] = [];
  for (const [index, size] of sizes.entries()) {
    const started = performance.now();
    await loadStations(neo4j, sizes[index - 1] ?? 0, size);
    bench.say(`${size} entities are there after ${Math.round((performance.now() - started) / 1_000)} s`);
    for (const field of fields) figures.push(...(await pagesBy(bench, neo4j, url, size, field)));
  }
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

async function pagesBy(
  bench: Bench,
  { driver }: EmptyNeo4j,
  url: string,
  size: number,
  { name, isIndexed }: (typeof fields)[number],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const page of pages) {
    for (const required of [undefined, certainty]) {
      if (page * perPage > size * (required === undefined ? 1 : shownShare)) continue;
      const skip = (page - 1) * perPage;
      const run = async (place: Place | undefined, from: number, length: number) => {
        const text = plainCypher(name, required, place !== undefined, from, length);
        const { records } = await driver.executeQuery(text, { certainty, ...place }, { routing: 'READ' });
        return records.map((record): Place => ({ id: record.get('id'), value: record.get('value') }));
      };
      const [last] = skip > 0 ? await run(undefined, skip - 1, 1) : [];
      const cursor = await cursorAt(url, name, skip, required);
      const concord = () => askConcord(url, name, cursor, required);
      const plain = async () => (await run(last, 0, perPage)).map(({ id }) => id);
      const [found, expected] = [await concord(), (await run(undefined, skip, perPage)).map(({ id }) => id)];
      if (found.join() !== expected.join() || (await plain()).join() !== expected.join())
        throw new Error(`Page ${page} by ${name} differs from plain Cypher's`);
      const [ours, theirs] = await inTurns(bench, concord, plain);
      const group = `${size.toLocaleString('en')} entities, by ${isIndexed ? 'an indexed' : 'another'} field`;
      const said = `page ${page}${required === undefined ? '' : `, certainty ${required}`}`;
      bench.say(`${group}, ${said}: ${ours.toFixed(0)} ms, ${(ours / theirs).toFixed(2)} × plain Cypher`);
      figures.push(
        {
          group,
          name: said,
          column: 'Concord',
          value: ours,
          unit: 'ms',
          ...(isIndexed && !required && { aim: '< 100 ms' }),
        },
        { group, name: said, column: 'plain Cypher', value: theirs, unit: 'ms' },
        { group, name: said, column: 'ratio', value: ours / theirs, unit: '×' },
      );
    }
  }
  return figures;
}

/** What is this slow needs no more rounds than the fewest. */
const patienceMs = 15_000;

/** Medians in milliseconds. */
async function inTurns(bench: Bench, one: () => Promise<unknown>, other: () => Promise<unknown>) {
  const times: [number[], number[]] = [[], []];
  const [fewest, most] = bench.quick ? [3, 3] : [3, 15];
  const begun = performance.now();
  for (let round = 0; round < most; round++) {
    if (round >= fewest && performance.now() - begun > patienceMs) break;
    for (const [side, ask] of [one, other].entries()) {
      const started = performance.now();
      await ask();
      times[side]?.push(performance.now() - started);
    }
  }
  return [median(times[0]), median(times[1])] as const;
}

/** The ids of a page. */
async function askConcord(url: string, field: string, after: string | null, requiredCertainty?: number) {
  const { edges } = await pageOf(url, field, perPage, after, requiredCertainty);
  return edges.map(({ node }) => node.id);
}

/** The cursor behind so many rows. */
async function cursorAt(url: string, field: string, rows: number, requiredCertainty?: number): Promise<string | null> {
  let after: string | null = null;
  for (let left = rows; left > 0; left -= 1_000) {
    const { pageInfo } = await pageOf(url, field, Math.min(left, 1_000), after, requiredCertainty);
    after = pageInfo.endCursor;
  }
  return after;
}

interface Page {
  edges: { node: { id: string } }[];
  pageInfo: { endCursor: string };
}

async function pageOf(url: string, field: string, first: number, after: string | null, requiredCertainty?: number) {
  const query = `query ($after: String) { stationsConnection(sort: {${field}: ASC}, first: ${first}, after: $after) {
    edges { node { id ${field} } } pageInfo { hasNextPage endCursor } } }`;
  const params = { query, variables: { after }, requiredCertainty };
  const { data } = await call<{ data: { stationsConnection: Page } }>(url, 'knowledge/query', params);
  return data.stationsConnection;
}

/** A row's place in the order. */
interface Place {
  id: string;
  value: unknown;
}

/** The same as somebody would write it who knows the index: what is sorted alike is told apart by its id. */
function plainCypher(
  field: string,
  required: number | undefined,
  begins: boolean,
  skip: number,
  limit: number,
): string {
  const known = required === undefined ? '' : ` AND coalesce(n.${field}__certainty, 1.0) >= $certainty`;
  const begin = begins ? `n.${field} >= $value AND (n.${field} > $value OR n.id > $id)` : `n.${field} IS NOT NULL`;
  return `CYPHER 5 MATCH (n:Station) WHERE n.tenant = 'default' AND ${begin}${known}
    RETURN n.id AS id, n.${field} AS value ORDER BY n.tenant, n.${field}, n.id SKIP ${skip} LIMIT ${limit}`;
}
