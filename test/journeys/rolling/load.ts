import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { add, type ChangeEvent, type ConcordClient, connect, type Subscription } from '../../../src/client/index.ts';

const predicate = 'urn:p:rolling';
const asked = '{ entities(limit: 5) { id } }';

/** What agents have met. */
export interface Met {
  requests: number;
  /** What no agent should: a request that failed for good. */
  failures: string[];
  /** Attempts that failed and that the shipped client made again by itself. */
  repeated: number;
  /** The subjects that updates have written. */
  written: string[];
}

/** Agents of all kinds that go on until they are told to stop. */
export class Load {
  readonly met: Met = { requests: 0, failures: [], repeated: 0, written: [] };
  readonly readers: Reader[] = [];
  private readonly url: string;
  private readonly run: string;
  private isOver = false;
  private agents: Promise<void>[] = [];

  /** @param run tells the statements of this run from those of others */
  constructor(url: string, run: string) {
    this.url = url;
    this.run = run;
  }

  /** Begins; settles once all subscriptions stand. */
  async start(): Promise<void> {
    for (let n = 0; n < 4; n++) this.readers.push(await Reader.start(await this.client(), this.run));
    const clients = await Promise.all([this.client(), this.client()]);
    for (const [n, client] of clients.entries()) {
      this.agents.push(this.repeat((turn) => this.write(client, `urn:${this.run}:${n}:${turn}`)));
      this.agents.push(this.repeat(() => client.query(asked)));
    }
    // Agents without a client of Concord's, which try nothing again, each with one connection that it keeps.
    const query = { jsonrpc: '2.0', id: 1, method: 'knowledge/query', params: { query: asked } };
    for (const [path, body] of [
      ['/a2a', query],
      ['/graphql', { query: asked }],
    ] as const) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      this.agents.push(this.repeat(() => post(this.url + path, body, agent)).finally(() => agent.destroy()));
    }
  }

  /** Settles after so many more updates. */
  async until(updates: number): Promise<void> {
    const { written } = this.met;
    for (const wanted = written.length + updates; written.length < wanted; await sleep(20));
  }

  /** Settles when what is under way has ended. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.agents);
  }

  private client(): Promise<ConcordClient> {
    return connect(this.url, { agentId: 'roller', fetch: (url, request) => this.attempt(url, request) });
  }

  /** What the shipped client does for one attempt, counted. */
  private async attempt(...call: Parameters<typeof fetch>): Promise<Response> {
    try {
      const response = await fetch(...call);
      if (!response.ok) this.met.repeated += 1;
      return response;
    } catch (error) {
      if (!(call[1]?.signal?.aborted ?? false)) this.met.repeated += 1;
      throw error;
    }
  }

  private async write(client: ConcordClient, subject: string): Promise<void> {
    const result = await client.update([add(subject, predicate, 'x')]);
    if (!result.success) throw new Error(JSON.stringify(result));
    this.met.written.push(subject);
  }

  private async repeat(request: (turn: number) => Promise<unknown>): Promise<void> {
    for (let turn = 0; !this.isOver; turn++) {
      this.met.requests += 1;
      await request(turn).catch((error) => this.met.failures.push(`${error} ${error.cause ?? ''}`));
      await sleep(20);
    }
  }
}

/** @throws Error unless it is answered with data */
async function post(url: string, body: object, agent: Agent): Promise<void> {
  const asking = request(url, { agent, method: 'POST', headers: { 'content-type': 'application/json' } });
  asking.end(JSON.stringify(body));
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const said = await text(response);
  if (response.statusCode !== 200 || !said.includes('"data"')) throw new Error(`${response.statusCode} ${said}`);
}

/** An agent that reads all changes by one subscription of the shipped client, which resumes. */
export class Reader {
  /** How often it was told of each subject. */
  readonly seen = new Map<string, number>();
  /** Why it no longer reads. */
  ending: unknown;
  private readonly subscription: Subscription;

  private constructor(subscription: Subscription, run: string) {
    this.subscription = subscription;
    this.read(`urn:${run}:`).catch((error) => {
      this.ending = error;
    });
  }

  static async start(client: ConcordClient, run: string): Promise<Reader> {
    const subscription = client.subscribe('subscription { statementChanged { op } }');
    await subscription.ready();
    return new Reader(subscription, run);
  }

  /** Settles when it was told of all of these, or has had a minute for it. */
  async until(subjects: string[]): Promise<void> {
    for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20)) {
      if (subjects.every((subject) => this.seen.has(subject))) return;
    }
  }

  async close(): Promise<void> {
    await this.subscription.return();
  }

  private async read(prefix: string): Promise<void> {
    for await (const event of this.subscription as AsyncIterable<ChangeEvent>) {
      const { id } = event.statement.subject;
      if (id.startsWith(prefix)) this.seen.set(id, (this.seen.get(id) ?? 0) + 1);
    }
  }
}
