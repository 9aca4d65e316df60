import { isUtf8 } from 'node:buffer';
import { Faulty, type Located } from './faulty.ts';

const longest = 16 * 1024 * 1024;

/** The lines of UTF-8 text with their numbers, as many at a time as are there. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<(Located<string> | Faulty)[]> {
  let number = 0;
  let rest: Buffer[] = [];
  let waiting = 0;
  for await (const chunk of bytes) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = buffer.lastIndexOf(10) + 1;
    if (end === 0) {
      rest.push(buffer);
      waiting += buffer.length;
      if (waiting > longest) throw new Faulty(number + 1, `is longer than ${longest} bytes`);
      continue;
    }
    const block = Buffer.concat([...rest, buffer.subarray(0, end - 1)]);
    rest = [buffer.subarray(end)];
    waiting = buffer.length - end;
    const lines = split(block, number);
    number += lines.length;
    yield lines;
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield split(last, number);
}

function split(block: Buffer, before: number): (Located<string> | Faulty)[] {
  if (isUtf8(block)) {
    return block
      .toString()
      .split('\n')
      .map((text, index) => ({ line: before + index + 1, value: clean(text, before + index) }));
  }
  // Somewhere in it are other bytes: line by line, to find out where.
  return block
    .toString('latin1')
    .split('\n')
    .map((bytes, index) => {
      const line = Buffer.from(bytes, 'latin1');
      const number = before + index + 1;
      return isUtf8(line)
        ? { line: number, value: clean(line.toString(), before + index) }
        : new Faulty(number, 'is not UTF-8');
    });
}

/** Without what Windows ends lines with and begins files with. */
function clean(text: string, before: number): string {
  return (before === 0 ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '');
}
