import { crc32, createInflateRaw } from 'node:zlib';
import { Unreadable } from './faulty.ts';

/** Packed bytes that are unpacked at once: of what is damaged, no more than they hold is lost. */
const step = 4_096;

/** The flags of a member's header (RFC 1952, 2.3.1). */
const flags = { headerCrc: 2, extra: 4, name: 8, comment: 16 };

/**
 * Unpacks what gzip has packed, one member after another (RFC 1952). Node's own loses the last of what it has unpacked
 * where something else stands behind it.
 * @throws Unreadable behind all that could be unpacked
 */
export async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const input = new Input(packed);
  try {
    do {
      await readHeader(input);
      yield* readMember(input);
    } while (await hasMore(input));
  } finally {
    await input.close();
  }
}

/** The bytes to come; some may be given back. */
class Input {
  private readonly chunks: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);

  constructor(packed: AsyncIterable<Buffer>) {
    this.chunks = packed[Symbol.asyncIterator]();
  }

  /** Some, up to so many; undefined at the end. */
  async some(most: number): Promise<Buffer | undefined> {
    while (this.held.length === 0) {
      const { done, value } = await this.chunks.next();
      if (done) return undefined;
      this.held = value;
    }
    const taken = this.held.subarray(0, most);
    this.held = this.held.subarray(taken.length);
    return taken;
  }

  /** Exactly so many. */
  async take(count: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    for (let left = count; left > 0; left -= taken.at(-1)?.length ?? 0) {
      const some = await this.some(left);
      if (some === undefined) throw cutShort();
      taken.push(some);
    }
    return Buffer.concat(taken);
  }

  /** Whoever has opened a file for it may close it. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  giveBack(bytes: Buffer): void {
    this.held = Buffer.concat([bytes, this.held]);
  }
}

async function readHeader(input: Input): Promise<void> {
  const header = await input.take(10);
  const flag = header[3] ?? 0;
  if (header[2] !== 8 || flag >= 32) throw damaged('its header is of no known form');
  if (flag & flags.extra) await input.take((await input.take(2)).readUInt16LE());
  for (const text of [flags.name, flags.comment]) {
    if (flag & text) while ((await input.take(1))[0] !== 0);
  }
  if (flag & flags.headerCrc) await input.take(2);
}

async function* readMember(input: Input): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw();
  const pieces: Buffer[] = [];
  let end: { error?: Error } | undefined;
  const ended = new Promise<void>((resolve) => {
    inflate.on('data', (piece) => pieces.push(piece));
    const endWith = (of: { error?: Error }) => {
      end = of;
      resolve();
    };
    inflate.once('end', () => endWith({})).on('error', (error) => endWith({ error }));
  });
  let [given, length, sum] = [0, 0, 0];
  while (end === undefined) {
    const some = await input.some(step);
    if (some === undefined) throw cutShort();
    given += some.length;
    await Promise.race([ended, new Promise((resolve) => inflate.write(some, resolve))]);
    // The end comes a turn after the last piece.
    await new Promise(setImmediate);
    for (const piece of pieces.splice(0)) {
      length += piece.length;
      sum = crc32(piece, sum);
      yield piece;
    }
    if (end) input.giveBack(some.subarray(some.length - (given - inflate.bytesWritten)));
  }
  if (end.error) throw damaged(end.error.message);
  const trailer = await input.take(8);
  if (trailer.readUInt32LE() !== sum) throw damaged('its checksum differs');
  if (trailer.readUInt32LE(4) !== length % 2 ** 32) throw damaged('its length differs');
}

/**
 * Whether another member begins here; zeros may fill up the end.
 * @throws Unreadable where it is something else
 */
async function hasMore(input: Input): Promise<boolean> {
  for (;;) {
    const some = await input.some(step);
    if (some === undefined) return false;
    const at = some.findIndex((byte) => byte !== 0);
    if (at < 0) continue;
    const [first, second] = [some.subarray(at, at + 1), some[at + 1] ?? (await input.some(1))?.[0]];
    if (first[0] !== 0x1f || second !== 0x8b)
      throw new Unreadable('what gzip has packed is whole, and something else stands behind it');
    input.giveBack(Buffer.concat([Buffer.from([0x1f, 0x8b]), some.subarray(at + 2)]));
    return true;
  }
}

const cutShort = () => new Unreadable('what gzip has packed is cut short');

const damaged = (how: string) => new Unreadable(`what gzip has packed is damaged (${how})`);
