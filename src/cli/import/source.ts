import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { unpacked } from './gunzip.ts';

/** The bytes to import. */
export interface Source {
  /** For messages. */
  name: string;
  /** Unpacked. */
  bytes: AsyncIterable<Uint8Array>;
  /**
   * Stands for the content: of a file the hash of all of it, of a stream that of its first MiB. 22 characters of
   * base64url.
   */
  id: string;
  /** Bytes as they lie in the file, where it is one. */
  size?: number;
  /** How many of them have been read. */
  read(): number;
}

const head = 1024 * 1024;

/**
 * Opens a file, or standard input, unpacking what gzip has packed.
 * @throws what the operating system says
 */
export async function openSource(file: string): Promise<Source> {
  const isStream = file === '-' || !(await stat(file)).isFile();
  if (file === '-') return ofStream('standard input', process.stdin);
  if (isStream) return ofStream(file, createReadStream(file));
  const { size } = await stat(file);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: head })) hash.update(chunk);
  return { ...opened(file, createReadStream(file), idOf(hash)), size };
}

async function ofStream(name: string, stream: AsyncIterable<Buffer>): Promise<Source> {
  const chunks = stream[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let length = 0;
  while (length < head) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  const beginning = Buffer.concat(first);
  const hash = createHash('sha256').update(beginning.subarray(0, head));
  async function* whole() {
    yield beginning;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return opened(name, whole(), idOf(hash));
}

function opened(name: string, stream: AsyncIterable<Buffer>, id: string): Source {
  let read = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const chunks = stream[Symbol.asyncIterator]();
    async function* counted(first: Buffer | undefined) {
      for (let chunk = first; chunk !== undefined; chunk = (await chunks.next()).value) {
        read += chunk.length;
        yield chunk;
      }
    }
    const first: Buffer | undefined = (await chunks.next()).value;
    const isPacked = first?.[0] === 0x1f && first[1] === 0x8b;
    if (!isPacked) return yield* counted(first);
    yield* unpacked(counted(first));
  }
  return { name, bytes: bytes(), id, read: () => read };
}

function idOf(hash: ReturnType<typeof createHash>): string {
  return hash.digest('base64url').slice(0, 22);
}
