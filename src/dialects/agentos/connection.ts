import type { WebSocket } from 'ws';
import { isMalformed, type Malformed, parseBody, type Request } from '../../a2a/jsonrpc/jsonrpc.ts';
import { answerer } from '../../a2a/jsonrpc/unary.ts';
import type { Calls } from '../../a2a/protocol/calls.ts';
import { invalidRequest } from '../../a2a/protocol/protocolError.ts';
import { endsWithin } from '../../base/endsWithin.ts';
import type { ConcordError } from '../../base/errors.ts';
import type { Call, Methods, UnaryMethod } from '../../calls/call.ts';
import { asConcordError } from '../../calls/faults.ts';
import type { InFlight, Taken } from '../../calls/inFlight.ts';
import { CallerGone, requestDraining, streamRefused } from '../../calls/streamEnd.ts';
import type { Principal } from '../../security/principal.ts';
import { recheck, recheckMs } from '../../security/recheck.ts';
import { AccessRefused, IdentitiesUnavailable } from '../../security/refused.ts';
import { agentErrorText } from './errors.ts';
import type { Runs } from './runs.ts';
import { type SubscriptionParts, Subscriptions } from './subscriptions.ts';

export interface ConnectionParts extends Omit<SubscriptionParts, 'notify'> {
  runs: Runs;
  /** Who has opened the socket, as its credentials have it now. @throws AccessRefused */
  authenticate(): Promise<Principal>;
  calls: Calls;
  inFlight: InFlight;
}

/** How long what is under way is waited for where a socket is closed for its caller's fault. */
const partingMs = 3_000;

/** Requests under way, and bytes that wait for their reader, after which no more messages are read. */
const mostUnderWay = 200;
const mostUnread = 1024 * 1024;

/** One socket to an agent: JSON-RPC 2.0, a request in each message of text, answered as it is done. */
export class AgentConnection {
  private readonly subscriptions: Subscriptions;
  private readonly requests = new Map<Promise<void>, Taken>();
  private readonly stopRecheck: () => void;
  private authenticating: Promise<Principal> | undefined;
  private ending: ConcordError | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly parts: ConnectionParts,
  ) {
    this.subscriptions = new Subscriptions({ ...parts, notify: (method, params) => this.notify(method, params) });
    this.stopRecheck = recheck(parts.authenticate, recheckMs, (refused) => void this.refuse(refused));
    socket.on('message', (data, isBinary) => {
      if (isBinary) void this.end(1003, 'Messages are text', invalidRequest('Messages are text'));
      else this.take(data as Buffer);
    });
    socket.once('close', () => this.gone());
  }

  /**
   * Ends the subscriptions, and takes nothing more; closes the socket when what is under way has been answered.
   * @param runsEnd whether the runs are ended too; else they are waited for, and a shutdown ends them when it has
   *   waited long enough. Their tasks go on.
   */
  async end(code: number, reason: string, error: ConcordError, runsEnd = true): Promise<void> {
    if (this.ending) return;
    this.ending = error;
    this.pace();
    this.stopRecheck();
    if (runsEnd) for (const taken of this.requests.values()) taken.abort(error);
    const said = Promise.all([...this.requests.keys(), this.subscriptions.end(error)]);
    if (runsEnd) await endsWithin(said, partingMs);
    else await said;
    // A reason has at most 123 bytes, and what is cut in two is written with up to three more.
    this.socket.close(code, Buffer.from(reason).subarray(0, 120).toString());
  }

  private take(data: Buffer): void {
    if (this.ending) return;
    const taken = this.parts.inFlight.enter();
    const request = this.answer(data, taken).finally(() => {
      this.requests.delete(request);
      this.pace();
      taken.leave({ answered: this.socket.readyState === this.socket.OPEN });
    });
    this.requests.set(request, taken);
    this.pace();
  }

  /** Who doesn't read its answers, or asks for more than is answered, is not read from meanwhile. */
  private pace(): void {
    const isFull = this.requests.size >= mostUnderWay || this.socket.bufferedAmount > mostUnread;
    // How it is closed must be read.
    if (isFull && !this.ending) this.socket.pause();
    else this.socket.resume();
  }

  /** It does not throw. */
  private async answer(data: Buffer, { signal }: Taken): Promise<void> {
    const afterwards: (() => void)[] = [];
    const entry = entryOf(data);
    try {
      if (this.parts.inFlight.draining) throw requestDraining();
      const principal = await this.principal();
      const id = isMalformed(entry) ? undefined : entry.id;
      const options = { answersFaultyNotifications: false, writeError: agentErrorText };
      const answerBody = answerer(this.methods(id, afterwards), this.parts.calls, options);
      const text = await answerBody({ batch: false, entries: [entry] }, { principal, signal }, () => {});
      if (text !== undefined) await this.send(text);
      for (const each of afterwards) each();
    } catch (thrown) {
      if (thrown instanceof AccessRefused && !(thrown instanceof IdentitiesUnavailable)) void this.refuse(thrown);
      const error = asConcordError(thrown);
      this.parts.calls.refused(error);
      if (isMalformed(entry) || entry.id !== undefined) await this.send(agentErrorText(entry.id ?? null, error));
    }
  }

  /** Looked up for each message, as for each request over HTTP; once for those that come together. */
  private principal(): Promise<Principal> {
    this.authenticating ??= this.parts.authenticate().finally(() => {
      this.authenticating = undefined;
    });
    return this.authenticating;
  }

  /** @param afterwards what is to be done when the answer is on its way */
  private methods(id: Request['id'], afterwards: (() => void)[]): Methods {
    const { runs } = this.parts;
    const run: UnaryMethod = async (params, call) => {
      // Kept until the answer is read, so that who reads nothing cannot have more and more made.
      afterwards.push(runs.enter());
      return runs.run(params, call, id, async (progress) => {
        if (id !== undefined) await this.notify('progress', { run: id, ...progress });
      });
    };
    const subscribe: UnaryMethod = async (params, call) => {
      if (id === undefined) throw invalidRequest('subscribe needs an id: its answer names the subscription');
      const { answer, begin } = await this.subscriptions.subscribe(params, call);
      afterwards.push(begin);
      return answer;
    };
    return {
      unary: new Map<string, UnaryMethod>([
        ['run', run],
        ['cancel', (params: unknown, call: Call) => runs.cancel(params, call)],
        ['subscribe', subscribe],
        ['unsubscribe', async (params) => this.subscriptions.unsubscribe(params)],
      ]),
      streaming: new Map(),
    };
  }

  private notify(method: string, params: object): Promise<void> {
    return this.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Settles when it is on its way, or nobody is there to read it. */
  private send(text: string): Promise<void> {
    return new Promise((resolve) => {
      const sent = () => {
        this.pace();
        resolve();
      };
      if (this.socket.readyState === this.socket.OPEN) this.socket.send(text, sent);
      else resolve();
    });
  }

  private refuse(refused: AccessRefused): Promise<void> {
    const code = refused.status === 403 ? 4403 : 4401;
    return this.end(code, `${refused.reason}: ${refused.message}`, streamRefused(refused));
  }

  private gone(): void {
    this.stopRecheck();
    for (const taken of this.requests.values()) taken.abort(new CallerGone());
    void this.subscriptions.end(new CallerGone());
  }
}

/** The request of a message. */
function entryOf(data: Buffer): Request | Malformed {
  try {
    const { batch, entries } = parseBody(data);
    const [entry] = entries;
    if (entry && !batch) return entry;
    throw invalidRequest('Send each request in a message of its own: each is answered as soon as it is done');
  } catch (error) {
    return { id: null, error: asConcordError(error) };
  }
}
