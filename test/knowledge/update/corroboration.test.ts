import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { follow } from '../../support/events.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { call, startServiceOnGraph } from '../../support/service.ts';
import { useDatabase, useFolder, useService } from '../../support/setUp.ts';

const name = `${schemaOrg}name`;
const population = `${world}population`;
const capital = `${world}capital`;
const vocabulary = (ofPopulation: string) => `
extend schema @vocabulary(base: "${schemaOrg}")
type Country @class {
  name: String
  population: Int @predicate(iri: "${population}", certainty: ${ofPopulation})
  capital: [City!]! @predicate(iri: "${capital}", certainty: NOISY_OR)
}
type City @class { id: ID! }
`;
const overconfident = `// rule: overconfident
// severity: reject
// message: nobody is that certain of a capital
// on: update
UNWIND $patches AS patch
WITH patch WHERE patch.predicate = '${capital}' AND patch.certainty > 0.95
RETURN patch.subject AS subject, patch.predicate AS predicate, patch.object AS object, 'certainty ' + toString(patch.certainty) AS message
`;

const folder = useFolder({
  'max.graphql': vocabulary('MAX'),
  'noisy.graphql': vocabulary('NOISY_OR'),
  'overconfident.cypher': overconfident,
});
const database = useDatabase();
let de: string;
let count = 0;

const service = useService({
  VOCABULARY: join(folder, 'max.graphql'),
  RULES: folder,
  AGENT_TRUST: 'rumour=0.2',
});
beforeEach(() => {
  count += 1;
  de = `urn:test:de-${count}`;
});

async function say(sourceAgentId: string, mutations: object[], url = service.url): Promise<UpdateResult> {
  const params = { sourceAgentId, mutations, taskId: `task of ${sourceAgentId}` };
  const { result, error } = await call<UpdateResult>(url, 'knowledge/update', params);
  if (error) throw new Error(error.message);
  return result;
}

interface Read {
  predicate: string;
  certainty: number | null;
  provenance: unknown;
  sourceAgentId: string;
  observedAt: string;
  sources: Omit<Read, 'predicate' | 'sources'>[];
}

const ofVoice = 'sourceAgentId certainty provenance observedAt';

async function statements(rest: object = {}): Promise<Read[]> {
  const query = `{ entities(where: {id: {eq: "${de}"}}) { statements { predicate ${ofVoice} sources { ${ofVoice} } } } }`;
  const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', { query, ...rest });
  if (error) throw new Error(error.message);
  const [entity] = (result.data?.entities ?? []) as { statements: Read[] }[];
  return entity?.statements ?? [];
}

/** The one statement about the subject: who says it and how certain each is, and how certain it is. */
async function told(rest: object = {}) {
  const [statement, ...more] = await statements(rest);
  expect(more).toEqual([]);
  return statement && [statement.sources.map((each) => [each.sourceAgentId, each.certainty]), statement.certainty];
}

const edges = (condition = "type(r) <> 'PAST'") =>
  database.run<{ edge: Record<string, unknown> }>(
    'READ',
    `MATCH ({id: $de})-[r]->() WHERE ${condition} RETURN r {.*} AS edge ORDER BY r.revision`,
    { de },
  );

interface LoggedChange {
  op: string;
  statement: { object: { value?: unknown }; certainty?: number; provenance?: unknown };
  previous: { object: { value?: unknown }; certainty?: number; provenance?: unknown }[];
}

/** The events about the subject, in their order. */
async function changes(): Promise<LoggedChange[]> {
  const rows = await database.run<{ op: string; statement: string; previous: string | null }>(
    'READ',
    'MATCH (c:Change) WHERE c.statement CONTAINS $de RETURN c.op AS op, c.statement AS statement, c.previous AS previous ORDER BY c.sequence',
    { de: `"${de}"` },
  );
  return rows.map(({ op, statement, previous }) => ({
    op,
    statement: JSON.parse(statement),
    previous: JSON.parse(previous ?? '[]'),
  }));
}

describe('who states a statement', () => {
  test('is listed where it is but one, whose edge has no lists', async () => {
    await say('ann', [add(de, name, 'Germany', { certainty: 0.5, provenance: { timestamp: '2020-01-01' } })]);
    const voice = {
      sourceAgentId: 'ann',
      certainty: 0.5,
      provenance: { timestamp: '2020-01-01' },
      observedAt: '2020-01-01T00:00:00.000Z',
    };
    expect(await statements()).toEqual([{ predicate: name, ...voice, sources: [voice] }]);
    const [row] = await edges();
    expect(Object.keys(row?.edge ?? {}).filter((each) => each.startsWith('sources'))).toEqual([]);
    expect(row?.edge).not.toHaveProperty('sourceDetails');
  });

  test('is listed with what each says, who spoke last at the end', async () => {
    await say('ann', [add(de, name, 'Germany', { provenance: { source: 'a', timestamp: '2021-01-01' } })]);
    await say('bob', [add(de, name, 'Germany', { certainty: 0.5, provenance: { timestamp: '2020-01-01' } })]);
    const ann = {
      sourceAgentId: 'ann',
      certainty: null,
      provenance: { source: 'a', timestamp: '2021-01-01' },
      observedAt: '2021-01-01T00:00:00.000Z',
    };
    const bob = {
      sourceAgentId: 'bob',
      certainty: 0.5,
      provenance: { timestamp: '2020-01-01' },
      observedAt: '2020-01-01T00:00:00.000Z',
    };
    expect(await statements()).toEqual([{ predicate: name, ...bob, sources: [ann, bob] }]);
    const [row] = await edges();
    expect(row?.edge).toMatchObject({ sources: ['ann', 'bob'], sourceCertainties: [1, 0.5] });
  });

  test('is told of past versions and as of then', async () => {
    const first = await say('ann', [add(de, name, 'Germany', { certainty: 0.5 })]);
    const second = await say('bob', [add(de, name, 'Germany', { certainty: 0.6 })]);
    await say('cy', [replace(de, name, 'Deutschland')]);
    const query = `{ history(subject: "${de}") { object { value } certainty sources { sourceAgentId certainty } } }`;
    const { result } = await call<QueryResult>(service.url, 'knowledge/query', { query });
    const ann = { sourceAgentId: 'ann', certainty: 0.5 };
    expect(result.data?.history).toEqual([
      {
        object: { value: 'Deutschland' },
        certainty: null,
        sources: [{ sourceAgentId: 'cy', certainty: null }],
      },
      {
        object: { value: 'Germany' },
        certainty: 0.6,
        sources: [ann, { sourceAgentId: 'bob', certainty: 0.6 }],
      },
      { object: { value: 'Germany' }, certainty: 0.5, sources: [ann] },
    ]);
    expect(await told({ metadata: { asOfRevision: first.revision } })).toEqual([[['ann', 0.5]], 0.5]);
    const both = [
      ['ann', 0.5],
      ['bob', 0.6],
    ];
    expect(await told({ metadata: { asOfRevision: second.revision } })).toEqual([both, 0.6]);
  });

  test('is listed whole or not at all where certainty is required', async () => {
    await say('ann', [add(de, population, 1, { certainty: 0.2 })]);
    await say('bob', [add(de, population, 1, { certainty: 0.8 })]);
    await say('cy', [add(de, population, 1, { certainty: 0.3 })]);
    const all = [
      ['ann', 0.2],
      ['bob', 0.8],
      ['cy', 0.3],
    ];
    expect(await told({ requiredCertainty: 0.8 })).toEqual([all, 0.8]);
    expect(await told({ requiredCertainty: 0.9 })).toBeUndefined();
  });

  test('can be asked for in Cypher', async () => {
    await say('ann', [add(de, name, 'Germany')]);
    await say('bob', [add(de, name, 'Germany')]);
    const query = `MATCH ({id: '${de}'})-[r]->() RETURN r.sources AS sources, r.sourceCertainties AS certainties`;
    const params = { query, queryLanguage: 'cypher' };
    const { result } = await call<QueryResult>(service.url, 'knowledge/query', params);
    expect(result.data?.rows).toEqual([{ sources: ['ann', 'bob'], certainties: [1, 1] }]);
  });
});

describe('add', () => {
  test('by another agent is a change though it says the same', async () => {
    const extras = { certainty: 0.5, provenance: { source: 'x' } };
    await say('ann', [add(de, name, 'Germany', extras)]);
    const result = await say('bob', [add(de, name, 'Germany', extras)]);
    expect(result.statementsAffected).toBe(1);
    expect((await changes()).map(({ op, previous }) => [op, previous.map(({ certainty }) => certainty)])).toEqual([
      ['add', []],
      ['replace', [0.5]],
    ]);
    const [past] = await edges("type(r) = 'PAST'");
    expect(past?.edge).toMatchObject({
      sourceAgentId: 'ann',
      retractedBy: 'bob',
      retractedIn: result.updateId,
    });
  });

  test("tells subscribers the certainty that stands, the speaker's provenance and the statement as it was", async () => {
    const object = { id: `${de}/berlin` };
    await say('ann', [add(de, capital, object, { certainty: 0.5, provenance: { source: 'a' } })]);
    const subscriptionQuery = `subscription { statementChanged(where: {subject: {eq: "${de}"}}) { op } }`;
    const follower = await follow(service.url, { subscriptionQuery });
    await say('bob', [add(de, capital, object, { certainty: 0.6, provenance: { source: 'b' } })]);
    const [event] = await follower.until(1);
    follower.close();
    expect(event).toMatchObject({
      op: 'replace',
      statement: { certainty: 0.8, provenance: { source: 'b' } },
      changeMetadata: {
        sourceAgentId: 'bob',
        previous: [{ certainty: 0.5, provenance: { source: 'a' } }],
      },
    });
  });

  test('by an agent that has a voice renews that voice, which becomes the newest', async () => {
    await say('ann', [add(de, name, 'Germany', { certainty: 0.5 })]);
    await say('bob', [add(de, name, 'Germany', { certainty: 0.6 })]);
    await say('ann', [add(de, name, 'Germany', { certainty: 0.7 })]);
    expect(await told()).toEqual([
      [
        ['bob', 0.6],
        ['ann', 0.7],
      ],
      0.7,
    ]);
  });

  test('by an agent that says what it said before changes nothing, counts nothing and does not make it the newest', async () => {
    await say('ann', [add(de, name, 'Germany', { certainty: 0.5 })]);
    const { revision } = await say('bob', [add(de, name, 'Germany', { certainty: 0.6 })]);
    const again = await say('ann', [add(de, name, 'Germany', { certainty: 0.5 })]);
    expect(again).toMatchObject({ statementsAffected: 0, revision });
    expect(await told()).toEqual([
      [
        ['ann', 0.5],
        ['bob', 0.6],
      ],
      0.6,
    ]);
  });
});

describe('the certainty', () => {
  const certain = async (predicate: string, object: object | number, ...certainties: (number | undefined)[]) => {
    for (const [index, certainty] of certainties.entries())
      await say(`agent-${index}`, [add(de, predicate, object, certainty === undefined ? {} : { certainty })]);
    return (await statements())[0]?.certainty;
  };

  test('is that of the newest voice, also outside of the vocabulary', async () => {
    expect(await certain('urn:other:motto', 1, 0.9, 0.2)).toBe(0.2);
  });

  test('is the highest by MAX', async () => {
    expect(await certain(population, 1, 0.5, 0.9, 0.2)).toBe(0.9);
  });

  test('is one minus all doubts by NOISY_OR', async () => {
    expect(await certain(capital, { id: 'urn:berlin' }, 0.5, 0.5, 0.5)).toBe(0.875);
  });

  test('is not stated where no voice states one', async () => {
    expect(await certain(capital, { id: 'urn:berlin' }, undefined, undefined)).toBeNull();
  });

  test('counts as 1 of a voice that does not state it beside one that does', async () => {
    expect(await certain(population, 1, 0.5, undefined)).toBe(1);
  });

  test('is what projection, requirements and entities go by', async () => {
    await say('ann', [add(de, population, 1, { type: `${schemaOrg}Country`, certainty: 0.3 })]);
    await say('ann', [add(de, population, 2, { certainty: 0.5 })]);
    await say('bob', [add(de, population, 1, { certainty: 0.8 })]);
    const [row] = await database.run<{ entity: Record<string, unknown> }>(
      'READ',
      'MATCH (n {id: $de}) RETURN n {.population, .population__certainty, .highest__certainty} AS entity',
      { de },
    );
    expect(row?.entity).toEqual({ population: 1, population__certainty: 0.8, highest__certainty: 0.8 });
    await say('bob', [remove(de, population, 1)]);
    const query = `{ countries(where: {id: {eq: "${de}"}}) { population } }`;
    const answer = async (requiredCertainty: number) =>
      (await call<QueryResult>(service.url, 'knowledge/query', { query, requiredCertainty })).result.data?.countries;
    expect(await answer(0.4)).toEqual([{ population: 2 }]);
    expect(await answer(0.6)).toEqual([]);
  });

  test('follows a policy that the vocabulary has changed when the statement is next touched', async () => {
    await say('ann', [add(de, population, 1, { certainty: 0.5 })]);
    await say('bob', [add(de, population, 1, { certainty: 0.5 })]);
    const changed = await startServiceOnGraph({ VOCABULARY: join(folder, 'noisy.graphql') });
    try {
      expect((await statements())[0]?.certainty).toBe(0.5);
      await say('cy', [add(de, population, 1, { certainty: 0.5 })], changed.url);
      expect((await statements())[0]?.certainty).toBe(0.875);
    } finally {
      await changed.close();
    }
  });

  test('that stands is what rules see', async () => {
    const object = { id: 'urn:berlin' };
    await say('ann', [add(de, capital, object, { certainty: 0.8 })]);
    const result = await say('bob', [add(de, capital, object, { certainty: 0.8 })]);
    expect(result).toMatchObject({ success: false, violations: [{ rule: 'overconfident' }] });
    expect(await told()).toEqual([[['ann', 0.8]], 0.8]);
  });
});

describe('remove', () => {
  test('by one agent of several takes its voice, and the others go on stating it', async () => {
    await say('ann', [add(de, population, 1, { certainty: 0.5, provenance: { source: 'a' } })]);
    await say('bob', [add(de, population, 1, { certainty: 0.6 })]);
    const { updateId, revision, statementsAffected } = await say('bob', [remove(de, population, 1)]);
    expect(statementsAffected).toBe(1);
    expect(await told()).toEqual([[['ann', 0.5]], 0.5]);
    const [row] = await edges();
    expect(row?.edge).toMatchObject({
      ...{ updateId, revision, sourceAgentId: 'ann', certainty: 0.5 },
      provenance: JSON.stringify({ source: 'a' }),
    });
    expect(row?.edge).not.toHaveProperty('sources');
    expect((await changes()).at(-1)).toMatchObject({
      op: 'replace',
      statement: { certainty: 0.5, provenance: { source: 'a' } },
      previous: [{ certainty: 0.6 }],
    });
  });

  test('applies the policy anew to the voices that are left', async () => {
    const object = { id: 'urn:berlin' };
    for (const agent of ['ann', 'bob', 'cy']) await say(agent, [add(de, capital, object, { certainty: 0.5 })]);
    await say('ann', [remove(de, capital, object)]);
    expect(await told()).toEqual([
      [
        ['bob', 0.5],
        ['cy', 0.5],
      ],
      0.75,
    ]);
    const [row] = await edges();
    expect(row?.edge).toMatchObject({ sourceAgentId: 'cy', sources: ['bob', 'cy'] });
  });

  test('of the last voice retracts the statement', async () => {
    await say('ann', [add(de, name, 'Germany')]);
    await say('bob', [add(de, name, 'Germany')]);
    await say('ann', [remove(de, name, 'Germany')]);
    await say('bob', [remove(de, name, 'Germany')]);
    expect(await statements()).toEqual([]);
    expect((await changes()).map(({ op }) => op)).toEqual(['add', 'replace', 'replace', 'remove']);
  });

  test('by an agent that has no voice in it retracts it for all', async () => {
    await say('ann', [add(de, name, 'Germany')]);
    await say('bob', [add(de, name, 'Germany')]);
    expect((await say('cy', [remove(de, name, 'Germany')])).statementsAffected).toBe(1);
    expect(await statements()).toEqual([]);
    expect((await changes()).at(-1)?.op).toBe('remove');
  });
});

describe('replace', () => {
  test('supersedes statements whole, whoever states them, and adds a voice to the one that holds', async () => {
    await say('ann', [add(de, name, 'one'), add(de, name, 'two', { certainty: 0.5 })]);
    await say('bob', [add(de, name, 'one')]);
    await say('cy', [replace(de, name, 'two', { certainty: 0.7 })]);
    expect(await told()).toEqual([
      [
        ['ann', 0.5],
        ['cy', 0.7],
      ],
      0.7,
    ]);
    const event = (await changes()).at(-1);
    expect([event?.op, event?.statement.certainty]).toEqual(['replace', 0.7]);
    expect(event?.previous.map(({ object }) => object.value).sort()).toEqual(['one', 'two']);
  });

  test('by who says what it said before supersedes the others and leaves the voices as they are', async () => {
    await say('ann', [add(de, name, 'one', { certainty: 0.5 }), add(de, name, 'two')]);
    await say('bob', [add(de, name, 'one', { certainty: 0.6 })]);
    expect((await say('ann', [replace(de, name, 'one', { certainty: 0.5 })])).statementsAffected).toBe(1);
    expect(await told()).toEqual([
      [
        ['ann', 0.5],
        ['bob', 0.6],
      ],
      0.6,
    ]);
    const event = (await changes()).at(-1);
    expect(event).toMatchObject({ op: 'replace', statement: { certainty: 0.6 } });
    expect(event?.previous.map(({ object }) => object.value)).toEqual(['two']);
  });
});

test('updates of many agents that are committed together come out as if one after the other', async () => {
  const agents = Array.from({ length: 12 }, (_, index) => `agent-${index}`);
  await Promise.all(agents.map((agent) => say(agent, [add(de, population, 1, { certainty: 0.5 })])));
  const silent = agents.slice(0, 4);
  await Promise.all([
    ...silent.map((agent) => say(agent, [remove(de, population, 1)])),
    say('agent-11', [add(de, population, 1, { certainty: 0.9 })]),
  ]);
  const [statement] = await statements();
  expect(statement?.sources.map(({ sourceAgentId }) => sourceAgentId).sort()).toEqual(agents.slice(4).sort());
  expect(statement?.certainty).toBe(0.9);
  const log = await changes();
  expect(log).toHaveLength(17);
  for (const [index, { op, previous }] of log.entries()) {
    expect([index, op]).toEqual([index, index === 0 ? 'add' : 'replace']);
    expect(previous).toEqual(index === 0 ? [] : [log[index - 1]?.statement]);
  }
  // Each version holds one voice more or less than the one before, or one that is renewed.
  const versions = await edges('r.revision IS NOT NULL');
  const sizes = versions.map(({ edge }) => (edge.sources as string[] | undefined)?.length ?? 1);
  expect(sizes.every((size, index) => index === 0 || Math.abs(size - (sizes[index - 1] ?? 0)) <= 1)).toBe(true);
});

test('a proposal that a reviewer approves speaks as who proposed it', async () => {
  await say('ann', [add(de, name, 'Germany', { certainty: 0.9 })]);
  const { updateId, verificationStatus } = await say('rumour', [add(de, name, 'Germany', { certainty: 0.4 })]);
  expect(verificationStatus).toBe('Pending Review');
  const params = { action: 'approve', updateId, reviewerId: 'ann' };
  await call(service.url, 'knowledge/review', params);
  expect(await told()).toEqual([
    [
      ['ann', 0.9],
      ['rumour', 0.4],
    ],
    0.4,
  ]);
});

test('a purge erases the provenance of each voice that names the entity', async () => {
  const alice = `${de}/alice`;
  await say('ann', [add(de, name, 'Germany', { certainty: 0.3, provenance: { heardFrom: alice } })]);
  await say('bob', [add(de, name, 'Germany', { provenance: { source: 'register' } })]);
  await say('ann', [add(alice, name, 'Alice')]);
  await call(service.url, 'knowledge/purge', { subject: alice });
  const [statement] = await statements();
  expect(statement?.sources).toMatchObject([
    { sourceAgentId: 'ann', certainty: 0.3, provenance: null },
    { sourceAgentId: 'bob', provenance: { source: 'register' } },
  ]);
  expect(JSON.stringify(await edges('true'))).not.toContain('alice');
});
