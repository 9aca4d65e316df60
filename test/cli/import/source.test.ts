import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
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
