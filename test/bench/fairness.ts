import { setTimeout as sleep } from 'node:timers/promises';
import { country, predicates } from '../../demo/names.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { schemaOrg } from '../support/patches.ts';
import type { Bench, Figure, Suite } from './bench.ts';
import { post } from './client.ts';
import { countries } from './graph.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openNeo4j } from './neo4j.ts';
import { startConcord, vocabularyFile } from './servers.ts';
import { latencies, percentile } from './statistics.ts';

/** Agents that keep to their share, of so many updates a second each. */
const agents = 8;
const share = 5;
/** What one who doesn't has under way at most: as many as a process of one agent may well have. */
const mostUnderWay = 200;

interface Sent {
  code: string;
  ms: number;
}

/** What is done beside those who keep to their share. */
interface Disturbance {
  name: string;
  /** Updates a second of one more agent. */
  rate: number;
  /** Whether every second of them breaks a rule. */
  isViolating: boolean;
}

const disturbances: Disturbance[] = [
  { name: 'alone', rate: 0, isViolating: false },
  { name: 'beside one at a hundred times its share', rate: 100 * share, isViolating: false },
  { name: 'beside one whose every second proposal breaks a rule', rate: share, isViolating: true },
  { name: 'beside such a one at ten times its share', rate: 10 * share, isViolating: true },
];

/**
 * What one agent costs the others that proposes far more than they do, or what breaks rules: these take turns, in one
 * run, with a limit of four times the share for each agent and without.
 */
export const fairness: Suite = async (bench) => {
  const neo4j = await openNeo4j(bench);
  const machine = await describeMachine(neo4j.driver);
  const figures: Figure[] = [];
  const limits: [string, Record<string, string>][] = [
    ['without a limit', {}],
    ['RATE_LIMIT_AGENT of four shares', { RATE_LIMIT_AGENT: String(4 * 60 * share) }],
  ];
  for (const [name, settings] of limits) {
    const { url, stop } = await startConcord(bench, neo4j.server, vocabularyFile, { ...identities, ...settings });
    figures.push(...(await measure(bench, url, name)));
    await stop();
  }
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

async function measure({ quick, say }: Bench, url: string, limit: string): Promise<Figure[]> {
  const [rounds, windowMs] = quick ? [2, 3_000] : [3, 5_000];
  const times = new Map(disturbances.map(({ name }) => [name, [] as number[]]));
  const answered = new Map(disturbances.map(({ name }) => [name, new Map<string, number>()]));
  const writer = new Writer(url);
  await writer.seed();
  await writer.window({ name: 'warming up', rate: 20 * share, isViolating: false }, windowMs);
  for (let round = 0; round < rounds; round++) {
    for (const disturbance of disturbances) {
      const { name } = disturbance;
      say(`${limit}, ${name}: ${round + 1} of ${rounds}`);
      const { own, others } = await writer.window(disturbance, windowMs);
      times.get(name)?.push(...own);
      const counts = answered.get(name) ?? new Map();
      for (const { code } of others) counts.set(code, (counts.get(code) ?? 0) + 1);
      // What is under way of one is over before the next.
      await sleep(500);
    }
  }
  const alone = percentile(times.get('alone') ?? [], 0.99);
  return disturbances.flatMap(({ name, rate }): Figure[] => {
    const own = times.get(name) ?? [];
    const group = `Updates of ${agents} agents at their share, ${limit}`;
    const counts = [...(answered.get(name) ?? [])].map(([code, n]) => `${n} ${code}`).join(', ');
    return [
      ...latencies(group, `${name}${counts && ` (${counts})`}`, own),
      ...(rate > 0
        ? [{ group, name: `${name}, p99 / alone`, value: percentile(own, 0.99) / alone, unit: 'x', aim: '<= 1.5 x' }]
        : []),
    ];
  });
}

/** Sends updates at fixed times, whether those before are answered or not. */
class Writer {
  private readonly headers = new Map<string, Record<string, string>>();
  private count = 0;

  constructor(private readonly url: string) {}

  /** States of what class each country is. */
  async seed(): Promise<void> {
    const mutations = countries.map(({ cca3, name }) => ({
      op: 'add',
      statement: { subject: country(cca3), predicate: { id: `${schemaOrg}name` }, object: { value: name.common } },
    }));
    await this.call('seed', mutations);
  }

  /** @returns milliseconds of those who keep to their share, and what the other was answered */
  async window({ rate, isViolating }: Disturbance, windowMs: number): Promise<{ own: number[]; others: Sent[] }> {
    const until = performance.now() + windowMs;
    const own: Sent[][] = [];
    const all = Array.from({ length: agents }, async (_, n) => {
      // Not all at once.
      await sleep((1_000 / share / agents) * n);
      own.push(await this.sendAt(share, until, `keeper-${n}`, false));
    });
    const [others] = await Promise.all([this.sendAt(rate, until, 'hog', isViolating), ...all]);
    return { own: own.flat().map(({ ms }) => ms), others };
  }

  private async sendAt(rate: number, until: number, agent: string, isViolating: boolean): Promise<Sent[]> {
    const sent: Promise<Sent>[] = [];
    const begun = performance.now();
    let underWay = 0;
    for (let n = 0; rate > 0; n++) {
      const due = begun + (1_000 * n) / rate;
      if (due > until) break;
      if (due > performance.now()) await sleep(due - performance.now());
      if (underWay >= mostUnderWay) continue;
      underWay += 1;
      sent.push(this.send(agent, isViolating && n % 2 === 0).finally(() => (underWay -= 1)));
    }
    return Promise.all(sent);
  }

  private async send(agent: string, isBroken: boolean): Promise<Sent> {
    const began = performance.now();
    type Answer = { result?: { verificationStatus: string }; error?: { data: { reason: string } } };
    const answer = (await this.call(agent, [this.next(isBroken)]).catch((error: Error) => {
      const [, reason = String(error)] = /"reason":"([^"]*)"/.exec(error.message) ?? [];
      return { error: { data: { reason } } };
    })) as Answer;
    const code = answer.error?.data.reason ?? answer.result?.verificationStatus ?? '';
    return { code, ms: performance.now() - began };
  }

  private call(agent: string, mutations: object[]): Promise<unknown> {
    const known = this.headers.get(agent) ?? bearerOf({ tenant: 'north', sub: agent }, { expiresIn: '1h' });
    this.headers.set(agent, known);
    const body = { jsonrpc: '2.0', id: 1, method: 'knowledge/update', params: { mutations } };
    return post(`${this.url}/a2a`, body, known);
  }

  /** A link that isn't there yet; one that breaks a rule has a country for a city. */
  private next(isBroken: boolean): object {
    const number = this.count++;
    const codes = countries.map(({ cca3 }) => cca3);
    const subject = country(codes[number % codes.length] ?? '');
    const object = country(codes[(number + 1 + Math.floor(number / codes.length)) % codes.length] ?? '');
    const statement = isBroken
      ? { subject, predicate: { id: predicates.borders }, object: { ...object, type: 'https://schema.org/City' } }
      : { subject, predicate: { id: predicates.borders }, object };
    return { op: 'add', statement };
  }
}
