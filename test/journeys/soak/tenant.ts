import { type ConcordClient, connect } from '../../../src/client/index.ts';
import type { Database } from '../../../src/graph/database/database.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { ApiKeyStore } from '../../../src/security/apiKeyStore.ts';
import { type Scope, scopes } from '../../../src/security/principal.ts';
import { message, type TaskJson } from '../../a2a/tasks.ts';
import { artifactOf, faultOf } from '../../skills/tasks.ts';
import type { Answer } from '../../support/service.ts';
import type { Acknowledged } from '../crash/writer.ts';

/** What a run shares that all its callers come through. */
export interface Calling {
  /** Where Concord is, behind what cuts connections. */
  url: string;
  /** Takes what nobody should ever be answered. */
  fault(line: string): void;
}

export type Headers = Record<string, string>;

/** Somebody's agents, and what they know to be done. */
export class Tenant {
  readonly acknowledged: Acknowledged[] = [];
  /** Tasks that were told to have ended well. */
  readonly tasks: string[] = [];
  /** Updates that answers to its readers have named. */
  readonly seen = new Set<string>();
  private readonly keys = new Map<string, Headers>();

  constructor(
    readonly name: string,
    private readonly calling: Calling,
  ) {}

  /** Gives agents their keys. */
  async admit(database: Database, agents: string[]): Promise<void> {
    const store = new ApiKeyStore(database);
    const granted = scopes.filter((scope): scope is Scope => scope !== 'admin');
    for (const agentId of agents) {
      const { key } = await store.create({ tenant: this.name, agentId, scopes: granted });
      this.keys.set(agentId, { 'x-api-key': key });
    }
  }

  headers(agent: string): Headers {
    return this.keys.get(agent) ?? {};
  }

  /** A client that goes on trying while whatever it calls is away. */
  client(agent: string): Promise<ConcordClient> {
    return connect(this.calling.url, {
      ...{ agentId: agent, headers: this.headers(agent), retry: { attempts: 1_000, baseMs: 50, maxMs: 500 } },
      fetch: (url, init) => this.watched(url, init),
    });
  }

  /** One attempt at an update, of some agents by a task. */
  async send(agent: string, params: object): Promise<Answer<UpdateResult>> {
    if (!agent.endsWith('by-task')) return this.rpc<UpdateResult>(agent, 'knowledge/update', params);
    const { result, error } = await this.rpc<{ task: TaskJson }>(
      agent,
      'SendMessage',
      message({ skill: 'propose', ...params }),
    );
    if (error) return { result: undefined as never, error };
    const fault = faultOf(result.task) as Answer['error'];
    if (result.task.status.state === 'TASK_STATE_COMPLETED') this.tasks.push(result.task.id);
    return { result: artifactOf<UpdateResult>(result.task), ...(fault && { error: fault }) };
  }

  async rpc<Result>(agent: string, method: string, params: object): Promise<Answer<Result>> {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    return (await this.post(agent, '/a2a', body)) as Answer<Result>;
  }

  async post(agent: string, path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json', 'A2A-Version': '1.0', ...this.headers(agent) };
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(60_000) };
    return (await this.watched(this.calling.url + path, init)).json();
  }

  /** A fetch that tells of faults of Concord's own. */
  private async watched(...call: Parameters<typeof fetch>): Promise<Response> {
    const response = await fetch(...call);
    if (response.status === 500) this.calling.fault(`${call[0]} was answered 500`);
    if (response.headers.get('content-type')?.includes('json'))
      response
        .clone()
        .text()
        .then(
          (text) => isFault(text) && this.calling.fault(text.slice(0, 500)),
          () => {},
        );
    return response;
  }
}

/** What is told with a reason, as by a replica that is draining, is no fault. */
function isFault(text: string): boolean {
  return /"code":-32603\b/.test(text) && !/"reason":"\w/.test(text);
}
