import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { marked, type Shot, type Told } from './shot.ts';
import { readFrames } from './sockets.ts';

type Http = Extract<Shot, { kind: 'http' }>;

/** How long an answer is waited for. */
const limitMs = 15_000;
/** How long a connection is listened to that may have nothing more to say. */
const quietMs = 80;

/** Sends requests of all kinds to one service. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 32 });
  private session: ClientHttp2Session | undefined;

  constructor(
    private readonly url: URL,
    private readonly grpc: string,
    private readonly credentials: Record<keyof typeof marked, string>,
  ) {}

  async send(shot: Shot): Promise<Told> {
    const begun = performance.now();
    let text = JSON.stringify(shot);
    for (const [name, placeholder] of Object.entries(marked))
      text = text.replaceAll(placeholder, this.credentials[name as keyof typeof marked]);
    const told = await this.told(JSON.parse(text));
    return { headers: {}, text: '', hangs: false, ...told, ms: performance.now() - begun };
  }

  close(): void {
    this.agent.destroy();
    this.session?.destroy();
  }

  private told(shot: Shot): Promise<Partial<Told>> {
    if (shot.kind === 'raw') return this.raw([shot.text], false);
    if (shot.kind === 'socket') return this.raw([handshake(shot), ...shot.frames], true);
    if (shot.kind === 'grpc') return this.call(shot);
    try {
      return this.http(shot, request(this.url, { ...optionsOf(shot), agent: this.agent }));
    } catch {
      // Node sends no such headers or paths.
      return this.raw([rawOf(shot)], false);
    }
  }

  private http(shot: Http, asking: ReturnType<typeof request>): Promise<Partial<Told>> {
    return new Promise((resolve) => {
      const limit = setTimeout(() => {
        resolve({ hangs: true });
        asking.destroy();
      }, limitMs);
      const end = (told: Partial<Told>) => {
        clearTimeout(limit);
        resolve(told);
      };
      asking.on('error', (error) => end({ text: `${error}` }));
      asking.on('upgrade', (_response, socket) => {
        socket.destroy();
        end({ status: 101 });
      });
      asking.on('response', (response) => {
        const { statusCode: status, headers } = response;
        let text = '';
        const told = () => end({ status, headers, text });
        response.setEncoding('utf8').on('data', (data) => {
          text += data;
        });
        response.on('end', told).on('error', told);
        if (!headers['content-type']?.startsWith('text/event-stream')) return;
        // Streams may have no end.
        setTimeout(() => {
          told();
          asking.destroy();
        }, quietMs);
      });
      asking.end(shot.body === undefined ? undefined : Buffer.from(shot.body, 'latin1'));
    });
  }

  /** What is answered to bytes: the first piece, and the others once there is an answer to it. */
  private raw([first = '', ...rest]: string[], isSocket: boolean): Promise<Partial<Told>> {
    return new Promise((resolve) => {
      const socket = connect(Number(this.url.port), this.url.hostname);
      const chunks: Buffer[] = [];
      let hangs = false;
      const limit = setTimeout(() => {
        hangs = true;
        socket.destroy();
      }, limitMs);
      // After that it is only listened to: what was to be sent may be no whole request.
      let quiet = setTimeout(() => socket.end(), 3 * quietMs);
      socket.write(Buffer.from(first, 'latin1'));
      socket.on('data', (data) => {
        if (chunks.length === 0) for (const piece of rest) socket.write(Buffer.from(piece, 'latin1'));
        chunks.push(data);
        clearTimeout(quiet);
        quiet = setTimeout(() => (isSocket ? socket.destroy() : socket.end()), quietMs);
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        clearTimeout(limit);
        clearTimeout(quiet);
        resolve({ ...readAnswer(Buffer.concat(chunks), isSocket), hangs });
      });
    });
  }

  private call({ path, headers, body }: Extract<Shot, { kind: 'grpc' }>): Promise<Partial<Told>> {
    if (!this.session || this.session.destroyed || this.session.closed) {
      this.session = connectHttp2(`http://${this.grpc}`);
      this.session.on('error', () => {});
    }
    const { session } = this;
    const { host: _, ...rest } = Object.fromEntries(Object.entries(headers).filter(([, value]) => isSendable(value)));
    return new Promise((resolve) => {
      const fixed = { ':method': 'POST', ':path': path.replace(/[^\x21-\x7e]/g, '?'), te: 'trailers' };
      const stream = session.request({ ...rest, ...fixed, 'content-type': 'application/grpc' });
      const told: Told = { headers: {}, text: '', ms: 0, hangs: false };
      const limit = setTimeout(() => {
        told.hangs = told.status === undefined;
        stream.close();
      }, limitMs);
      stream.on('response', ({ ':status': status, ...given }) => {
        told.status = status;
        Object.assign(told.headers, given);
      });
      stream.on('trailers', (trailers) => Object.assign(told.headers, trailers));
      stream.on('data', (data) => {
        told.text += data;
      });
      stream.on('error', () => {});
      stream.on('close', () => {
        clearTimeout(limit);
        resolve(told);
      });
      stream.end(Buffer.from(body, 'latin1'));
    });
  }
}

const isSendable = (value: string) => !/[^\x20-\x7e]/.test(value);

const optionsOf = ({ method, path, headers, body }: Http) => ({
  method,
  path,
  headers: { ...headers, ...(body !== undefined && { 'content-length': body.length }) },
});

function rawOf({ method, path, headers, body = '' }: Http): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${Buffer.from(value).toString('latin1')}\r\n`);
  const target = Buffer.from(path).toString('latin1');
  return `${method} ${target} HTTP/1.1\r\nHost: a\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function handshake({ path, headers }: Extract<Shot, { kind: 'socket' }>): string {
  const upgrade = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '13' };
  const all = { host: 'a', ...upgrade, 'sec-websocket-key': randomBytes(16).toString('base64'), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${Buffer.from(value).toString('latin1')}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function readAnswer(bytes: Buffer, isSocket: boolean): Partial<Told> {
  const text = bytes.toString();
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  const headEnd = bytes.indexOf('\r\n\r\n') + 4;
  if (!isSocket || status !== '101') return { status: status ? Number(status) : undefined, text };
  const { texts, closeCode } = readFrames(bytes.subarray(headEnd));
  return { status: 101, text: texts.join('\n'), headers: { closeCode } };
}
