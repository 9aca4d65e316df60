import { beforeEach, describe, expect, test } from '@jest/globals';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { add, remove, replace, schemaOrg, world } from '../../support/patches.ts';
import { call, startTestService } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();
let de: string;
let count = 0;

const service = useService();
beforeEach(() => {
  count += 1;
  de = `urn:test:de-${count}`;
});

const update = (mutations: object[], rest: object = {}) =>
  call<UpdateResult>(service.url, 'knowledge/update', { mutations, sourceAgentId: 'atlas', ...rest });

const one = async <Row extends object>(cypher: string, parameters: object = {}) =>
  (await database.run<Row>('READ', cypher, parameters))[0];

const edges = (subject: string) =>
  database.run<{ type: string; edge: Record<string, unknown>; value: unknown }>(
    'READ',
    'MATCH ({id: $subject})-[r]->(o) RETURN type(r) AS type, properties(r) AS edge, coalesce(o.value, o.id) AS value ORDER BY type, value',
    { subject },
  );

const totals = () => one<{ nodes: number }>('MATCH (n) RETURN count(n) AS nodes');

describe('add', () => {
  test('states a statement as one edge that carries who said it, how certain and why', async () => {
    const { result } = await update(
      [
        add(
          de,
          `${world}capital`,
          { id: `${de}/berlin`, type: `${schemaOrg}City` },
          {
            type: `${schemaOrg}Country`,
            graph: 'urn:graph:one',
            certainty: 0.8,
            provenance: { source: 'atlas of 2024', timestamp: '2024-05-01T12:00:00Z', nested: { page: 3 } },
          },
        ),
      ],
      { taskId: 'task-1', justification: 'a map' },
    );
    expect(result).toMatchObject({ success: true, statementsAffected: 1, verificationStatus: 'Verified' });
    expect(result.affectedIds.sort()).toEqual([de, `${de}/berlin`]);
    const [edge] = await edges(de);
    expect(edge?.type).toBe('CAPITAL');
    expect(edge?.edge).toMatchObject({
      tenant: 'default',
      predicate: `${world}capital`,
      graph: 'urn:graph:one',
      certainty: 0.8,
      sourceAgentId: 'atlas',
      taskId: 'task-1',
      updateId: result.updateId,
      revision: result.revision,
      provenance: JSON.stringify({
        source: 'atlas of 2024',
        timestamp: '2024-05-01T12:00:00Z',
        nested: { page: 3 },
      }),
    });
    expect(String(edge?.edge.observedAt)).toBe('2024-05-01T12:00:00Z');
    const labels = await one<{ labels: string[] }>('MATCH (n {id: $de}) RETURN labels(n) AS labels', { de });
    expect(labels?.labels.sort()).toEqual(['Country', 'Entity']);
  });

  test('an identical statement changes nothing and counts nothing', async () => {
    const patch = add(de, `${schemaOrg}name`, 'Germany', {
      certainty: 0.5,
      provenance: { b: 1, a: [1, { c: 2 }] },
    });
    const first = await update([patch]);
    const before = await totals();
    const second = await update([patch]);
    expect(second.result).toMatchObject({ success: true, statementsAffected: 0, affectedIds: [] });
    expect(second.result.revision).toBe(first.result.revision);
    expect(await totals()).toEqual(before);
  });

  test('the same statement again takes the new certainty and keeps the old one in the history', async () => {
    await update([add(de, `${schemaOrg}name`, 'Germany', { certainty: 0.5 })]);
    const { result } = await update([add(de, `${schemaOrg}name`, 'Germany', { certainty: 0.9 })], {
      sourceAgentId: 'scout',
    });
    expect(result.statementsAffected).toBe(1);
    const [current, past] = await edges(de);
    expect(current).toMatchObject({ type: 'NAME', edge: { certainty: 0.9, sourceAgentId: 'scout' } });
    expect(past).toMatchObject({
      type: 'PAST',
      edge: {
        certainty: 0.5,
        sourceAgentId: 'atlas',
        relationshipType: 'NAME',
        retractedBy: 'scout',
        retractedIn: result.updateId,
      },
    });
  });

  test('a statement in another graph is another statement', async () => {
    await update([
      add(de, `${schemaOrg}name`, 'Germany'),
      add(de, `${schemaOrg}name`, 'Germany', { graph: 'urn:graph:two' }),
    ]);
    expect(await edges(de)).toHaveLength(2);
  });

  test('the same text with and without its datatype is the same statement; in another language it is not', async () => {
    const { result } = await update([
      add(de, `${schemaOrg}name`, 'Berlin'),
      add(de, `${schemaOrg}name`, { value: 'Berlin', type: 'xsd:string' }),
      add(de, `${schemaOrg}name`, { value: 'Berlin', language: 'de' }),
    ]);
    expect(result.statementsAffected).toBe(2);
  });

  test('a whole number is an integer in Neo4j unless its datatype says float', async () => {
    await update([
      add(de, 'urn:p:count', 3),
      add(de, 'urn:p:ratio', { value: 3, type: 'xsd:double' }),
      add(de, 'urn:p:avogadro', { value: 6.02e23, type: 'xsd:double' }),
    ]);
    const kinds = await database.run<{ kind: string }>(
      'READ',
      'MATCH ({id: $de})-[r]->(l) RETURN valueType(l.value) AS kind ORDER BY r.predicate',
      { de },
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['FLOAT NOT NULL', 'INTEGER NOT NULL', 'FLOAT NOT NULL']);
  });
});

describe('remove', () => {
  test('retracts exactly the statement and leaves it in the history', async () => {
    await update([add(de, `${schemaOrg}name`, 'Germany'), add(de, `${schemaOrg}name`, 'Allemagne')]);
    const { result } = await update([remove(de, `${schemaOrg}name`, 'Allemagne')]);
    expect(result.statementsAffected).toBe(1);
    expect((await edges(de)).map(({ type, value }) => [type, value])).toEqual([
      ['NAME', 'Germany'],
      ['PAST', 'Allemagne'],
    ]);
  });

  test('a statement that is not there is no error and counts nothing', async () => {
    const before = await totals();
    const { result } = await update([remove(de, `${schemaOrg}name`, 'nobody said this')]);
    expect(result).toMatchObject({ success: true, statementsAffected: 0 });
    expect(await totals()).toEqual(before);
  });
});

describe('replace', () => {
  test('takes the place of every statement with its subject, predicate and graph, and of no other', async () => {
    await update([
      add(de, `${schemaOrg}name`, 'one'),
      add(de, `${schemaOrg}name`, 'two'),
      add(de, `${schemaOrg}name`, 'elsewhere', { graph: 'urn:g' }),
      add(de, `${world}region`, 'Europe'),
    ]);
    const { result } = await update([replace(de, `${schemaOrg}name`, 'three')]);
    expect(result.statementsAffected).toBe(3);
    const current = (await edges(de)).filter(({ type }) => type !== 'PAST').map(({ value }) => value);
    expect(current.sort()).toEqual(['Europe', 'elsewhere', 'three']);
  });
});

describe('one update', () => {
  test('applies its patches in their order', async () => {
    const { result } = await update([
      add(de, `${schemaOrg}name`, 'one'),
      remove(de, `${schemaOrg}name`, 'one'),
      add(de, `${schemaOrg}name`, 'two'),
      replace(de, `${schemaOrg}name`, 'three'),
    ]);
    expect(result.statementsAffected).toBe(1);
    expect((await edges(de)).map(({ value }) => value)).toEqual(['three']);
    const log = await database.run<{ op: string }>(
      'READ',
      'MATCH (:Update {id: $id})-[:CONTAINS]->(c:Change) RETURN c.op AS op ORDER BY c.sequence',
      { id: result.updateId },
    );
    expect(log.map(({ op }) => op)).toEqual(['add', 'remove', 'add', 'replace']);
  });

  test('of which one statement breaks a rule leaves nothing of the others', async () => {
    const { result } = await update([
      add(de, `${schemaOrg}name`, 'Germany', { type: `${schemaOrg}Country` }),
      add(de, `${world}population`, 'many'),
    ]);
    expect(result).toMatchObject({
      success: false,
      statementsAffected: 0,
      verificationStatus: 'Rejected - Constraint Violation',
    });
    expect(await one('MATCH (n {id: $de}) RETURN n', { de })).toBeUndefined();
  });

  test('writes changes with consecutive sequence numbers under concurrent writers', async () => {
    const before = await one<{ sequence: number }>('MATCH (l:Ledger) RETURN l.sequence AS sequence');
    await Promise.all(
      Array.from({ length: 20 }, (_, writer) =>
        update([add(`${de}/${writer}`, `${schemaOrg}name`, 'a'), add(`${de}/${writer}`, `${schemaOrg}name`, 'b')]),
      ),
    );
    const rows = await database.run<{ sequence: number }>(
      'READ',
      'MATCH (c:Change) WHERE c.sequence > $after RETURN c.sequence AS sequence ORDER BY sequence',
      { after: before?.sequence ?? 0 },
    );
    expect(rows.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 40 }, (_, index) => (before?.sequence ?? 0) + 1 + index),
    );
  });

  test('keeps the trace id of the request on its Update node', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const answer = await call<UpdateResult>(
      service.url,
      'knowledge/update',
      { mutations: [add(de, `${schemaOrg}name`, 'traced')] },
      { traceparent: `00-${trace}-b7ad6b7169203331-01` },
    );
    const row = await one<{ traceId: string }>('MATCH (u:Update {id: $id}) RETURN u.traceId AS traceId', {
      id: answer.result.updateId,
    });
    expect(row?.traceId).toBe(trace);
  });

  test('can be walked from its agent and its task', async () => {
    const { result } = await update([add(de, `${schemaOrg}name`, 'x')], { taskId: `${de}/task` });
    const row = await one(
      'MATCH (:Agent {id: "atlas"})-[:PROPOSED]->(u:Update {id: $id})<-[:MADE]-(t:Task) RETURN t.id AS task',
      { id: result.updateId },
    );
    expect(row).toEqual({ task: `${de}/task` });
  });
});

describe('the projection', () => {
  const projected = async () =>
    (await one<{ entity: Record<string, unknown> }>('MATCH (n {id: $de}) RETURN n {.*} AS entity', { de }))?.entity;

  test('shows the most certain value, then the newest, and the next best when it is retracted', async () => {
    await update([
      add(de, `${schemaOrg}name`, 'unlikely', { certainty: 0.2 }),
      add(de, `${schemaOrg}name`, 'old', { provenance: { timestamp: '2001-01-01' } }),
      add(de, `${schemaOrg}name`, 'new', { provenance: { timestamp: '2024-01-01' } }),
    ]);
    expect((await projected())?.name).toBe('new');
    await update([remove(de, `${schemaOrg}name`, 'new')]);
    expect((await projected())?.name).toBe('old');
    await update([remove(de, `${schemaOrg}name`, 'old')]);
    expect((await projected())?.name).toBe('unlikely');
    await update([remove(de, `${schemaOrg}name`, 'unlikely')]);
    expect((await projected())?.name).toBeUndefined();
  });

  test('holds every value of a list field', async () => {
    await update(['Deutschland', 'Nimska'].map((name) => add(de, `${world}nativeName`, name)));
    const entity = await projected();
    expect(new Set(entity?.nativeName as string[])).toEqual(new Set(['Deutschland', 'Nimska']));
  });

  test('a predicate outside of the vocabulary is stored and not projected', async () => {
    await update([add(de, 'urn:other:motto', 'unity')]);
    expect(await projected()).toEqual({ tenant: 'default', id: de });
    expect((await edges(de))[0]?.type).toBe('MOTTO');
  });
});

describe('metadata', () => {
  test('the same idempotency key from the same agent gives the first answer and applies nothing', async () => {
    const metadata = { idempotencyKey: `key-${de}` };
    const first = await update([add(de, `${schemaOrg}name`, 'first')], { metadata });
    const second = await update([add(de, `${schemaOrg}name`, 'second')], { metadata });
    expect(second.result).toEqual(first.result);
    expect((await edges(de)).map(({ value }) => value)).toEqual(['first']);
    const other = await update([add(de, `${schemaOrg}name`, 'other')], { metadata, sourceAgentId: 'scout' });
    expect(other.result.statementsAffected).toBe(1);
  });

  test('an expected revision that has passed applies nothing and tells the current one', async () => {
    const { result } = await update([add(de, `${schemaOrg}name`, 'a')]);
    const { error } = await update([add(de, `${schemaOrg}name`, 'b')], {
      metadata: { expectedRevision: (result.revision ?? 0) - 1 },
    });
    expect(error).toMatchObject({
      code: -32011,
      data: { reason: 'revision-conflict', revision: result.revision },
    });
    const { result: applied } = await update([add(de, `${schemaOrg}name`, 'b')], {
      metadata: { expectedRevision: result.revision },
    });
    expect(applied.revision).toBe((result.revision ?? 0) + 1);
  });
});

test('a closed vocabulary refuses a predicate that it does not have', async () => {
  const closed = await startTestService({ VOCABULARY_MODE: 'closed' });
  try {
    const { error } = await call(closed.url, 'knowledge/update', {
      mutations: [add(de, 'urn:other:motto', 'unity')],
    });
    expect(error).toMatchObject({ code: -32602, data: { reason: 'unknown-predicate' } });
  } finally {
    await closed.close();
  }
});
