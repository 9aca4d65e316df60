import { once } from 'node:events';
import { WebSocket } from 'ws';
import { check } from './schemas.ts';

/* A client of AgentOS 0.3.0 as its specification describes one; each message that it gets is checked by its schema. */

export interface Answer<Result = RunResult> {
  id: unknown;
  result?: Result;
  error?: { code: number; message: string; data: { details: string; [member: string]: unknown } };
}

export interface RunResult {
  content: string;
  tool_calls: unknown[];
  artifacts: { id: string; name: string; parts: { type: string; data?: unknown }[] }[];
  task?: { id: string; context_id: string; state: string };
}

export interface Notification {
  method: string;
  params: Record<string, unknown>;
}

type Headers = Record<string, string>;

/** `POST {agent}/rpc`, as it is. */
export function post(url: string, body: string, headers: Headers = {}): Promise<Response> {
  return fetch(`${url}/rpc`, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body });
}

/** @param url of the agent */
export async function run(url: string, params: unknown, headers: Headers = {}): Promise<Answer & { status: number }> {
  const response = await post(url, JSON.stringify({ jsonrpc: '2.0', method: 'run', params, id: 1 }), headers);
  const answer = (await response.json()) as Answer;
  check('run', answer);
  return { ...answer, status: response.status };
}

export interface AgentSocket {
  ws: WebSocket;
  /** The answers without an id of ours. */
  stray: Answer[];
  notifications: Notification[];
  /** Once it is closed. */
  closed: { code: number; reason: string } | undefined;
  /** @param id absent means the next number */
  call<Result = RunResult>(method: string, params: unknown, id?: unknown): Promise<Answer<Result>>;
}

/** Opens `{agent}/ws`; it rejects with the status of a refusal. */
export async function openSocket(url: string, headers: Headers = {}): Promise<AgentSocket> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { headers });
  const waiting = new Map<unknown, { method: string; take(answer: Answer<never>): void }>();
  let last = 0;
  const socket: AgentSocket = {
    ws,
    stray: [],
    notifications: [],
    closed: undefined,
    call(method, params, given) {
      last += 1;
      const id = given ?? last;
      return new Promise((take) => {
        waiting.set(id, { method, take });
        ws.send(JSON.stringify({ jsonrpc: '2.0', method, params, id }));
      });
    },
  };
  ws.on('message', (data) => {
    const message = JSON.parse(data.toString());
    if ('method' in message) {
      check(message.method, message);
      socket.notifications.push(message);
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    check(call?.method ?? 'answer', message);
    if (call) call.take(message);
    else socket.stray.push(message);
  });
  ws.on('close', (code, reason) => {
    socket.closed = { code, reason: reason.toString() };
  });
  const refused = once(ws, 'unexpected-response').then(([request, response]) => {
    request.destroy();
    throw Object.assign(new Error(`Refused with ${response.statusCode}`), { status: response.statusCode });
  });
  ws.on('error', () => {});
  await Promise.race([once(ws, 'open'), refused]);
  return socket;
}
