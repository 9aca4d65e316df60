import { beforeAll, describe, expect, test } from '@jest/globals';
import { add, connect } from '../../src/client/index.ts';
import { schemaOrg, world } from '../support/patches.ts';
import { neo4jSettings } from '../support/service.ts';
import { useDatabase, useService } from '../support/setUp.ts';
import { Command, concord } from './command.ts';

const run = (words: string[], input?: string) => concord(words, { url: service.url, input });
const name = `${schemaOrg}name`;

const service = useService({ AGENT_TRUST: 'gossip=0.1' });
const database = useDatabase();
beforeAll(async () => {
  const patches = [add({ id: 'urn:che', type: `${schemaOrg}Country` }, name, 'Switzerland', { certainty: 0.5 })];
  const { code, printed } = await run(
    ['update', '-', '--agent', 'scout', '--justification', 'why not'],
    JSON.stringify(patches),
  );
  expect([code, printed]).toEqual([
    0,
    expect.stringMatching(/^Verified: 1 statement affected, revision 1, update \S+\n$/),
  ]);
});

test('status tells readiness, version, revision and lag', async () => {
  const { code, printed } = await run(['status']);
  expect([code, printed]).toEqual([
    0,
    expect.stringMatching(/: ready, version \d.*\nrevision 1\nneo4j: ok .*\nfeed: ok, [\d.]+ s behind/),
  ]);
  expect(JSON.parse((await run(['status', '--json'])).printed)).toMatchObject({
    status: 'ready',
    revision: 1,
  });
});

test('a query is shown as a table, or as JSON', async () => {
  expect((await run(['query', '{ countries { id name } }'])).printed).toBe('id       name\nurn:che  Switzerland\n');
  const cypher = await run(
    ['query', '--cypher', '-', '--json', '--variables', '{"id": "urn:che"}'],
    'MATCH (c {id: $id}) RETURN c.name AS name',
  );
  expect(JSON.parse(cypher.printed).data).toEqual({ rows: [{ name: 'Switzerland' }] });
  const certain = await run(['query', '{ countries { id } }', '--certainty', '0.9', '--json']);
  expect(JSON.parse(certain.printed).data).toEqual({ countries: [] });
  const early = await run(['query', '{ countries { id } }', '--as-of', '0', '--json']);
  expect(JSON.parse(early.printed)).toMatchObject({
    data: { countries: [] },
    queryMetadata: { conditions: { asOfRevision: 0 } },
  });
});

test('an update that is held is listed, approved and rejected', async () => {
  const held = async (id: string) => {
    const { code, printed } = await run(
      ['update', '-', '--agent', 'gossip', '--json'],
      JSON.stringify(add(id, name, 'x')),
    );
    const { updateId, verificationStatus } = JSON.parse(printed);
    expect([code, verificationStatus]).toEqual([3, 'Pending Review']);
    return updateId as string;
  };
  const [good, bad] = [await held('urn:good'), await held('urn:bad')];
  const listed = await run(['review', 'list']);
  expect(listed.printed).toMatch(/^UPDATE +PROPOSED +AGENT/);
  expect(listed.printed.split('\n').filter((line) => / gossip +1 +low-trust/.test(line))).toHaveLength(2);
  expect((await run(['review', 'approve', good, '--agent', 'auditor'])).printed).toMatch(
    /^Verified: 1 statements? affected/,
  );
  expect((await run(['review', 'reject', bad, '--reason', 'no source'])).code).toBe(0);
  expect(JSON.parse((await run(['review', 'list', '--json'])).printed)).toEqual([]);
  expect((await run(['review', 'approve', bad])).said).toMatch(/^concord: .*rejected already .*not-pending/);
});

test('watch tells what has been and what comes, by what it is asked for, and how to go on', async () => {
  const watching = new Command(['watch', '--after', '0', '--predicate', name, '--subject', 'urn:che', 'urn:new'], {
    url: service.url,
  });
  const client = await connect(service.url, { agentId: 'late' });
  let seen = '';
  watching.child.stdout?.on('data', (text) => {
    seen += text;
  });
  const shows = async (text: string) => {
    while (!seen.includes(text)) await new Promise((resolve) => watching.child.stdout?.once('data', resolve));
  };
  await shows('by scout');
  await client.update([add('urn:other', name, 'y'), add('urn:new', name, 'x')]);
  await shows('by late');
  watching.child.kill('SIGINT');
  const { code, printed, said } = await watching.ended;
  expect([code, printed.split('\n')]).toEqual([
    0,
    [
      `1 add urn:che ${name} "Switzerland" certainty 0.5 by scout`,
      expect.stringMatching(`^\\d+ add urn:new ${name} "x" by late$`),
      '',
    ],
  ]);
  expect(said).toMatch(/concord watch --after \d+ goes on here/);
});

test('rules are listed', async () => {
  const { printed } = await run(['rules']);
  expect(printed).toMatch(/^RULE +SEVERITY +MESSAGE\n/);
  expect(printed).toMatch(/^class-mismatch +reject +an entity is of one class/m);
});

test.each([
  [['query', '{ nothing }'], 1, /^concord: .*nothing.*-32010/],
  [['query', 'x', '--variables', '[1]'], 2, /not a JSON object/],
  [['update', 'no-such-file'], 1, /^concord: ENOENT/],
  [['update', '-'], 2, /neither a JSON array/],
  [['status', '--url', 'http://127.0.0.1:9'], 1, /'concord start' starts a Concord here; --url or CONCORD_URL/],
  [['frobnicate'], 2, /unknown command/],
])('%j ends with %i and says why in one line', async (words, code, message) => {
  const ended = await run(words, 'no patches');
  expect(ended).toMatchObject({ code, said: expect.stringMatching(message) });
});

test.each([
  'start',
  'status',
  'query',
  'ask',
  'update',
  'watch',
  'import',
  'export',
  'review',
  'rules',
  'keys',
  'types',
  'reconcile',
])('the help of %s shows by example', async (command) => {
  const { code, printed } = await run([command, '--help']);
  expect([code, printed]).toEqual([0, expect.stringMatching(new RegExp(`Examples:\\n[^]*concord ${command}`))]);
});

test('ask prints how a question was read, the query and the rows, and lists what it may mean', async () => {
  const entities = ['North Asked', 'South Asked'].map((named) => ({
    class: 'Country',
    id: `urn:${named.slice(0, 5)}`,
    fields: { name: named },
  }));
  await run(['update', '-', '--agent', 'scout'], JSON.stringify({ entities }));
  const question = 'countries whose name starts with "North As"';
  const { code, printed } = await run(['ask', question]);
  expect([code, printed]).toEqual([0, expect.stringMatching(/^Read as: each Country \(name begins with "North As"\)/)]);
  expect(printed).toContain('countries(where: $where0');
  expect(printed).toMatch(/\nname\nNorth Asked/);
  const unknown = await run(['ask', 'Who is the king?']);
  expect(unknown).toMatchObject({ code: 3, said: expect.stringContaining("I don't understand: king") });
});

test('an update may name classes and fields instead of IRIs', async () => {
  const entities = [{ class: 'Country', id: 'urn:byname', fields: { name: 'Named' } }];
  const { code, printed } = await run(['update', '-', '--agent', 'scout', '--json'], JSON.stringify({ entities }));
  expect([code, JSON.parse(printed)]).toEqual([0, expect.objectContaining({ affectedIds: ['urn:byname'] })]);
});

describe('what was edited past Concord', () => {
  const country = `${schemaOrg}Country`;
  const edits = [
    "CREATE (:Country {id: 'urn:r:new', name: 'New'})",
    "MATCH (a {id: 'urn:r:a'}), (b {id: 'urn:r:b'}) CREATE (b)-[:BORDERS {certainty: 0.75}]->(a)",
    "MATCH ({id: 'urn:r:a'})-[r:CAPITAL]->() DELETE r",
    "MATCH (a {id: 'urn:r:a'})-[r:KNOWS]->(b) CREATE (a)-[n:LIKES]->(b) SET n = properties(r) DELETE r",
    "MATCH (a {id: 'urn:r:a'}) SET a.population = 2",
    "MATCH (b {id: 'urn:r:b'}) REMOVE b.name",
    "MATCH (b {id: 'urn:r:b'}) SET b:City",
    "MATCH ({id: 'urn:r:b'})-[r:NAME]->() SET r.certainty = 'high'",
    "MATCH ({id: 'urn:r:c'})-[r:NAME]->() SET r.certainty = 0.5",
    `MATCH (c:Change) WHERE c.statement CONTAINS '"urn:r:gap"' DETACH DELETE c`,
    'MATCH (u:Update)-[r:CONTAINS]->(c:Change {sequence: 1}) DELETE r',
  ];
  const env = { ...neo4jSettings, VOCABULARY: 'test/support/world.graphql' };
  const reconcile = async (...words: string[]) => {
    const { code, printed, said } = await concord(['reconcile', '--json', ...words], { env });
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const summary = lines.pop();
    const kinds = lines.map(({ difference: { kind, of } }) => [kind, of].filter(Boolean).join(' '));
    return { code, said, summary, kinds: kinds.map((kind) => kind.replace(/^node .*/, 'node')).sort() };
  };

  beforeAll(async () => {
    const client = await connect(service.url, { agentId: 'atlas' });
    const of = (id: string) => ({ id, type: country });
    await client.update([
      add(of('urn:r:a'), name, 'A'),
      add(of('urn:r:a'), `${world}population`, 1),
      add(of('urn:r:a'), `${world}capital`, { id: 'urn:r:city', type: `${schemaOrg}City` }),
      add(of('urn:r:a'), 'urn:p#knows', of('urn:r:b')),
      add(of('urn:r:b'), 'urn:p#likes', of('urn:r:a')),
      add(of('urn:r:gap'), name, 'Gap'),
      add(of('urn:r:b'), name, 'B'),
      add(of('urn:r:c'), name, 'C'),
    ]);
    // As who edits while nothing sees it.
    for (const edit of edits) await database.run('WRITE', edit);
  });

  const differences = [
    'class City:Country',
    'edge BORDERS',
    'edge LIKES',
    'edge-log NAME',
    'edge-missing CAPITAL',
    'edge-missing KNOWS',
    'edge-value NAME {certainty}',
    'log-gap',
    'log-orphan',
    'node',
    'projection name',
    // By the certainty that was set.
    'projection name__certainty',
    'projection population',
  ];

  test('is told by reconcile, and not touched', async () => {
    const { code, kinds, said } = await reconcile();
    expect([code, said]).toEqual([1, '']);
    expect(kinds).toEqual(differences);
    expect((await reconcile('--tenant', 'nobody')).kinds).toEqual([]);
  });

  test('is mended as an edit by hand, and told no more', async () => {
    const mended = await reconcile('--mend');
    expect([mended.code, mended.summary]).toEqual([3, expect.objectContaining({ mended: true, held: 2 })]);
    expect(await reconcile()).toMatchObject({ code: 0, kinds: [] });
    const { printed } = await run([
      'query',
      '{ countries(where: {id: {startsWith: "urn:r:"}}) { id name population } }',
      '--json',
    ]);
    expect(JSON.parse(printed).data.countries).toEqual([
      { id: 'urn:r:a', name: 'A', population: 2 },
      { id: 'urn:r:b', name: 'B', population: null },
      { id: 'urn:r:c', name: 'C', population: null },
      { id: 'urn:r:gap', name: 'Gap', population: null },
      { id: 'urn:r:new', name: 'New', population: null },
    ]);
    const [past] = await database.run<{ n: number }>(
      'READ',
      "MATCH ({id: 'urn:r:a'})-[p:PAST]->() WHERE p.retractedBy = 'direct:reconcile' RETURN count(p) AS n",
    );
    // Its capital, whom it knew, and its population.
    expect(past?.n).toBe(3);
    const waiting = JSON.parse((await run(['review', 'list', '--json'])).printed) as { sourceAgentId: string }[];
    expect(waiting.filter(({ sourceAgentId }) => sourceAgentId === 'direct:reconcile')).toHaveLength(2);
  });
});

test('what is said about somebody, of it and by it is exported, each statement once and as the caller may read it', async () => {
  const client = await connect(service.url, { agentId: 'urn:sue' });
  const knows = `${schemaOrg}knows`;
  await client.update([
    add('urn:sue', name, 'Sue'),
    add('urn:sue', knows, { id: 'urn:tom' }),
    add('urn:tom', knows, { id: 'urn:sue' }),
    add('urn:tom', name, 'Tom'),
  ]);
  const { code, printed } = await run(['subject', 'export', 'urn:sue']);
  const lines = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(lines.map(({ role, subject, predicate }) => [role, subject, predicate]).sort()).toEqual([
    ['object', 'urn:tom', knows],
    ['source', 'urn:tom', name],
    ['subject', 'urn:sue', knows],
    ['subject', 'urn:sue', name],
  ]);
  expect(lines[0]).toMatchObject({ sourceAgentId: 'urn:sue', sources: [{ sourceAgentId: 'urn:sue' }] });
  expect((await run(['subject', 'export', 'urn:nobody'])).printed).toBe('');
});
