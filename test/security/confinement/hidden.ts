import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult } from '../../../src/knowledge/query/query.ts';
import type { Service } from '../../../src/service/startService.ts';
import { bearerOf, identities } from '../../support/identities.ts';
import { add, type Extras, remove, schemaOrg, world } from '../../support/patches.ts';
import { type Answer, call, startTestService, testDatabase } from '../../support/service.ts';

/** Stands in everything that is hidden: texts, ids, graphs, names, and as a number. */
export const marks = ['7f3a9c', '7352941'];

/** What hides a part of a tenant's graph from a caller. */
export const hidings = [
  'tenant',
  'graph',
  'certainty',
  'age',
  'time',
  'revision',
  'past',
  'class',
  'predicate',
] as const;
export type Hiding = (typeof hidings)[number];

/** What the caller asks about that is hidden from it, and what isn't there at all; equally long. */
export const hit = {
  id: 'urn:x:7f3a9c',
  value: 'hidden 7f3a9c',
  start: 'hidden 7f',
  number: 7_352_941,
  type: 'X7F3A9C',
  key: 'x7f3a9c',
  label: 'Kind7f3a9c',
};
export const miss = {
  id: 'urn:x:absent',
  value: 'absent absent',
  start: 'absent ab',
  number: 7_000_000,
  type: 'XABSENT',
  key: 'xabsent',
  label: 'Kindabsent',
};
/** What all callers see. */
export const seen = { ...miss, id: 'urn:open:b', value: 'open b', start: 'open' };

const open = (name: string) => `urn:open:${name}`;
const country = `${schemaOrg}Country`;
/** A tenant of which all is seen. */
const twin = 'twin';

const visible = [
  ...['a', 'b', 'c'].flatMap((name) => [
    add(open(name), `${schemaOrg}name`, `open ${name}`, { type: country }),
    add(open(name), `${world}area`, name.charCodeAt(0)),
  ]),
  add(open('a'), `${world}region`, 'open b'),
  add(open('a'), `${world}nativeName`, 'open b'),
  add(open('a'), `${world}independent`, true),
  add(open('a'), `${world}borders`, { id: open('b') }),
  add(open('b'), `${world}borders`, { id: open('c') }),
  add(open('b'), `${world}landlocked`, false),
];

const extras: Partial<Record<Hiding, Extras>> = {
  graph: { graph: 'urn:g:7f3a9c' },
  certainty: { certainty: 0.1 },
  age: { provenance: { source: '7f3a9c', timestamp: '2001-02-03T04:05:06Z' } },
};

/** What is hidden in the tenant of this name. */
function hidden(hiding: Hiding) {
  const more = extras[hiding] ?? {};
  const population = add(hit.id, `${world}population`, hit.number, more);
  if (hiding === 'predicate') {
    return [
      population,
      add(open('a'), `${world}population`, hit.number),
      add(open('a'), `${world}capital`, { id: hit.id }),
      add(open('b'), 'urn:closed:region', hit.value),
    ];
  }
  const type = hiding === 'class' ? `${schemaOrg}Language` : country;
  const ofEntity = [
    population,
    add(hit.id, `${schemaOrg}name`, hit.value, { type, ...more }),
    add(hit.id, `${world}landlocked`, true, more),
    add(hit.id, `${world}borders`, { id: open('b') }, more),
    add(open('a'), `${world}borders`, { id: hit.id }, more),
    add(open('a'), 'urn:any:x7f3a9c', { id: hit.id }, more),
  ];
  if (hiding === 'class') return ofEntity;
  return [
    ...ofEntity,
    add(open('a'), `${world}region`, hit.value, more),
    add(open('a'), `${world}nativeName`, hit.value, more),
    add(open('a'), `${world}landlocked`, true, more),
    add(open('b'), `${world}borders`, { id: open('a') }, more),
  ];
}

/** Concord's own nodes, with marks in what tells something. */
const own = `UNWIND $tenants AS tenant
  WITH tenant, tenant + '7f3a9c' AS id
  CREATE (:Task {tenant: tenant, id: id, state: id})-[:HAS_EVENT]->(:TaskEvent {tenant: tenant, event: id}),
    (:PushConfig {tenant: tenant, id: id, url: 'http://7f3a9c', token: id}), (:ApiKey {tenant: tenant, id: id, hash: id}),
    (:ChangeSubscription {tenant: tenant, id: id, receiver: id}),
    (:Update {tenant: tenant, id: id, justification: id})-[:CONTAINS]->(:Change {tenant: tenant, sequence: 0, statement: id})`;

/** A service whose graph holds things that each caller may not see. */
export class HiddenWorld {
  /** A file of the server with a mark in it. */
  readonly file: string;
  private readonly service: Service;
  private readonly policy: string;
  /** When all was said that is seen, and nothing that is hidden. */
  readonly asOf: string;

  private constructor(service: Service, folder: { file: string; policy: string }, asOf: string) {
    this.service = service;
    this.file = folder.file;
    this.policy = folder.policy;
    this.asOf = asOf;
  }

  static async start(settings: Record<string, string> = {}): Promise<HiddenWorld> {
    const file = join(tmpdir(), `concord-${process.pid}.csv`);
    const policy = join(tmpdir(), `concord-${process.pid}-policy.json`);
    await writeFile(file, '7f3a9c,7352941\n', { mode: 0o644 });
    const predicates = [`${world}population`, `${world}capital`, 'urn:closed:region'];
    const closed = [
      { rule: 'predicates', predicates, to: { tenants: ['predicate', twin], agents: ['predicate'] } },
      { rule: 'classes', classes: [`${schemaOrg}Language`], to: { agents: ['class'] } },
    ];
    await writeFile(policy, JSON.stringify({ closed }));
    const tenants = [...hidings, twin];
    const service = await startTestService({
      ...identities,
      TENANTS: tenants.join(','),
      POLICY: policy,
      CYPHER: 'true',
      QUERY_TIMEOUT_MS: '10000',
      ...settings,
    });
    const update = async (tenant: string, mutations: object[], sub = '7f3a9c') => {
      const { error } = await call(service.url, 'knowledge/update', { mutations }, bearerOf({ tenant, sub }));
      if (error) throw new Error(`${tenant}: ${error.message}`);
    };
    for (const tenant of tenants) await update(tenant, visible, 'open');
    await sleep(20);
    const asOf = new Date().toISOString();
    await sleep(20);
    for (const hiding of hidings) {
      // What is hidden from the caller of this tenant is that of all others.
      if (hiding === 'tenant') continue;
      await update(hiding, hidden(hiding));
      if (hiding === 'past') {
        const removed = hidden(hiding).map(({ statement: { subject, predicate, object } }) =>
          remove(subject.id, predicate.id, object),
        );
        await update(hiding, removed);
      }
    }
    await update('graph', [
      add('urn:y:7f3a9c', 'urn:any:x7f3a9c', hit.value, {
        type: 'urn:any:Kind7f3a9c',
        graph: 'urn:g:7f3a9c',
      }),
    ]);
    const database = testDatabase();
    await database.run('WRITE', own, { tenants });
    await database.close();
    return new HiddenWorld(service, { file, policy }, asOf);
  }

  get url(): string {
    return this.service.url;
  }

  async close(): Promise<void> {
    await this.service.close();
    await rm(this.file, { force: true });
    await rm(this.policy, { force: true });
  }

  /** Asks it. */
  ask(text: string, variables: object, hiding: Hiding, ofTwin = false): Promise<Answer<QueryResult>> {
    return ask(this, text, variables, hiding, ofTwin);
  }
}

/**
 * Asks in Cypher as the caller from whom a part is hidden.
 * @param ofTwin of a tenant where only what that caller sees has ever been said
 */
export function ask(
  { url, asOf }: Pick<HiddenWorld, 'url' | 'asOf'>,
  text: string,
  variables: object,
  hiding: Hiding,
  ofTwin = false,
): Promise<Answer<QueryResult>> {
  const claims = {
    tenant: ofTwin ? twin : hiding,
    sub: hiding,
    ...(['graph', 'past'].includes(hiding) && { graphs: ['default'] }),
  };
  const params = { query: text, queryLanguage: 'cypher', variables, ...conditionsOf(hiding, asOf) };
  return call<QueryResult>(url, 'knowledge/query', params, bearerOf(claims));
}

function conditionsOf(hiding: Hiding, asOf: string): object {
  if (hiding === 'certainty') return { requiredCertainty: 0.5 };
  if (hiding === 'age') return { maxAgeSeconds: 1_000_000 };
  if (hiding === 'time') return { metadata: { asOf } };
  return hiding === 'revision' ? { metadata: { asOfRevision: 1 } } : {};
}

/** What an answer tells, as text: all of it but times, the number of the ledger, and where an error is logged. */
export function told({ result, error }: Answer<QueryResult>): string {
  if (error) {
    const { traceId: _, ...data } = error.data ?? {};
    return JSON.stringify({ code: error.code, message: error.message, data });
  }
  const { durationMs: _, databaseMs: __, revision: ___, conditions: ____, ...metadata } = result.queryMetadata;
  return JSON.stringify({ data: result.data, metadata });
}

/** What is wrong with an answer, whatever was asked: a mark in it, or a fault of Concord's own. */
export function faultOf(answer: Answer<QueryResult>): string | undefined {
  const text = JSON.stringify(answer);
  const mark = marks.find((each) => text.toLowerCase().includes(each));
  if (mark !== undefined) return `tells ${mark}: ${text.slice(0, 300)}`;
  return answer.error?.code === -32603 ? `is a fault of Concord's own: ${text.slice(0, 300)}` : undefined;
}

/** Some at once, in the order in which they are given. */
export async function several<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  const left = all.entries();
  const worker = async () => {
    for (const [index, each] of left) found[index] = await work(each);
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  return found;
}
