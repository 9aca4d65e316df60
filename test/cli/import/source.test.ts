import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { unpacked } from '../../../src/cli/import/gunzip.ts';
import { useFolder } from '../../support/setUp.ts';

const folder = useFolder();
const run = promisify(execFile);
const program = `import { openSource } from './dist/cli/import/source.js';
const { bytes } = await openSource(process.argv[1]);
try { for await (const each of bytes); } catch (error) { console.log(error.message); }`;

test('a process that has read a damaged packed file ends', async () => {
  const packed = gzipSync(Array.from({ length: 3_000 }, (_, index) => `line ${index}\n`).join(''));
  const file = join(folder, 'damaged.gz');
  await writeFile(file, packed.fill(255, 900, 910));
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program, file], { timeout: 15_000 });
  expect(stdout).toContain('is damaged');
});

/** What is unpacked, however its packed bytes are cut, and why no more. */
async function read(packed: Buffer, length: number): Promise<{ text: string; fault?: string }> {
  async function* chunks() {
    for (let at = 0; at < packed.length; at += length) yield packed.subarray(at, at + length);
  }
  let text = '';
  try {
    for await (const piece of unpacked(chunks())) text += Buffer.from(piece).toString('latin1');
  } catch (error) {
    return { text, fault: (error as Error).message };
  }
  return { text };
}

const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${(index * 7919) % 1000}\n`).join('');
const whole = gzipSync(lines);
const named = Buffer.concat([
  Buffer.from([31, 139, 8, 4 + 8 + 16 + 2, 0, 0, 0, 0, 0, 3, 3, 0, 1, 2, 3]),
  Buffer.from('a.nt\0why\0\x01\x02', 'latin1'),
  whole.subarray(10),
]);
const joined = 'what gzip has packed is whole, and something else stands behind it';

test.each([
  ['one member', whole, { text: lines }],
  ['one with a name, a comment and more', named, { text: lines }],
  ['several, the last an empty one', Buffer.concat([whole, named, gzipSync('')]), { text: lines + lines }],
  ['zeros behind it', Buffer.concat([whole, Buffer.alloc(1_000)]), { text: lines }],
  ['other bytes behind it', Buffer.concat([whole, Buffer.from('junk')]), { text: lines, fault: joined }],
  ['one other byte behind it', Buffer.concat([whole, Buffer.from([31])]), { text: lines, fault: joined }],
  [
    'what begins as a member behind it',
    Buffer.concat([whole, Buffer.from('\x1f\x8b junk junk', 'latin1')]),
    { text: lines, fault: 'what gzip has packed is damaged (its header is of no known form)' },
  ],
  [
    'another sum',
    Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8, 1)]),
    { text: lines, fault: 'what gzip has packed is damaged (its checksum differs)' },
  ],
  ['no end of its sum', whole.subarray(0, -3), { text: lines, fault: 'what gzip has packed is cut short' }],
])('what gzip has packed is read to its last line: %s', async (_, packed, expected) => {
  for (const length of [65_536, 4_095, 7]) expect(await read(packed, length)).toEqual(expected);
});

test('of what is cut short all is read that is there', async () => {
  const { text, fault } = await read(whole.subarray(0, whole.length / 2), 65_536);
  expect(fault).toBe('what gzip has packed is cut short');
  expect(lines.startsWith(text)).toBe(true);
  expect(text.length).toBeGreaterThan(lines.length * 0.4);
});
