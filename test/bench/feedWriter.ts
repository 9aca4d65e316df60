import { setTimeout as wait } from 'node:timers/promises';
import { call } from './client.ts';

/** Sends updates of one statement each, of so many subjects in turn. */
export class Writer {
  subjects = 0;
  private readonly url: string;
  private count: number;

  /** @param from the first value: one that is there already would change nothing */
  constructor(url: string, from = 0) {
    this.url = url;
    this.count = from;
  }

  async send(): Promise<string> {
    const number = this.count++;
    const statement = {
      subject: { id: `urn:bench:feed:${this.subjects === 0 ? 0 : number % this.subjects}` },
      predicate: { id: 'urn:bench:count' },
      object: { value: number },
    };
    const mutations = [{ op: 'replace', statement }];
    const { updateId } = await call<{ updateId: string }>(this.url, 'knowledge/update', {
      mutations,
      sourceAgentId: 'bench',
    });
    return updateId;
  }
}

/** @returns when each was answered, in milliseconds since 1970 */
export async function write(writer: Writer, { updates, everyMs }: { updates: number; everyMs: number }) {
  const sent = new Map<string, number>();
  for (let update = 0; update < updates; update++) {
    const started = performance.now();
    const id = await writer.send();
    sent.set(id, performance.timeOrigin + performance.now());
    await wait(Math.max(0, everyMs - (performance.now() - started)));
  }
  return sent;
}
