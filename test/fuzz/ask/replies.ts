import type { Random } from '../../graph/qualify/random.ts';
import { type ModelReply, sayCompletion, saying } from '../../support/modelServer.ts';
import { world } from '../../support/patches.ts';
import { secrets } from './questions.ts';

const closed = `${world}population`;
const deep = (levels: number) => `{ countries { ${'borders { '.repeat(levels)}id${' }'.repeat(levels)} } }`;
const wide = (fields: number) =>
  `{ ${Array.from({ length: fields }, (_, n) => `x${n}: countries { id name borders { id } }`).join(' ')} }`;

/** Queries that write, ask for what is closed or another's, take forever, or are none. */
const queries: ((random: Random) => string)[] = [
  () => 'mutation { createCountries(input: [{ name: "Gone" }]) { info { nodesCreated } } }',
  () => 'mutation { deleteCountries(where: {}) { nodesDeleted } }',
  () => '{ countries { id } } mutation { deleteCountries { nodesDeleted } }',
  () => 'query A { countries { id } } query B { cities { id } }',
  () => 'subscription { countryChanged { after { population } } }',
  () => '{ countries { id name population } }',
  () => '{ a: countries { b: population } }',
  () => 'query { countries { ...All } } fragment All on Country { population }',
  () => '{ countries { ... on Country @include(if: true) { population } } }',
  () => '{ countries(where: { population: { gt: 1 } }) { id name } }',
  () => '{ countries(where: { NOT: { borders: { none: { population: { gt: 1 } } } } }) { name } }',
  () => '{ countries(sort: [{ population: DESC }]) { name } }',
  () => '{ countriesConnection { aggregate { node { population { sum max min average } } } } }',
  () => '{ countriesGroupBy(limit: 10) { keys { region } aggregate { population { max } } } }',
  () => `{ countries { statements(predicate: ["${closed}"], first: 9) { predicate object { value } } } }`,
  () => `{ entities(limit: 90) { id type statements(first: 60) { predicate object { value } } } }`,
  () => '{ entities(where: { id: { in: ["urn:s:zeta"] } }) { id statements(first: 60) { object { value } } } }',
  () => `{ countries(where: { name: { eq: "${secrets.other}" } }) { id } }`,
  () => '{ __schema { types { name fields { name } } } }',
  () => '{ countries(limit: 2147483647) { id borders(limit: 2147483647) { id borders { id } } } }',
  (random) => deep(random.below(500)),
  (random) => wide(random.below(1_500)),
  () => `{ countries(where: ${'{ AND: ['.repeat(300)}${']}'.repeat(300)}) { id } }`,
  () => 'MATCH (n) DETACH DELETE n',
  () => 'CALL apoc.periodic.repeat("x", "CREATE (:Gone)", 1)',
  () => 'SELECT pg_sleep(600)',
  (random) => '{['.repeat(random.below(30_000)),
  () => '',
  () => '{ __typename }',
  () => 'I am sorry, I can not do that.',
  () => '{ countries(limit: 5) { id name } }',
];

/** Answers of the endpoint that are no query at all. */
const faults: ModelReply[] = [
  saying(null, 'there is none'),
  500,
  429,
  '{"query": ["{ countries { id } }"], "reading": 7}',
  (response) => void response.end('\u0000<html>'),
  (response) => void response.end('[]'),
  (response) => void response.write('{"choices": [', () => response.destroy()),
  (response) => sayCompletion(response, { content: null, refusal: 'No' }),
  (response) => sayCompletion(response, { content: '{ countr' }, { finish_reason: 'length' }),
  (response) => sayCompletion(response, { content: null }),
];

/** What a model answers that was talked into something, or is broken. */
export function hostileReply(random: Random): ModelReply {
  if (random.chance(0.2)) return random.pick(faults);
  const query = random.pick(queries)(random);
  const kind = random.below(3);
  if (kind === 0) return query;
  return kind === 1 ? `Gladly:\n\`\`\`graphql\n${query}\n\`\`\`` : saying(query, 'as you asked');
}
