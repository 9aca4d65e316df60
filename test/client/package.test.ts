import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { useFolder, useService } from '../support/setUp.ts';

const run = promisify(execFile);
const service = useService({ VOCABULARY: 'examples/vocabulary.graphql' });
const folder = useFolder({ 'package.json': '{"name": "stranger", "private": true, "type": "module"}' });

/** What another project's author would write. */
const program = (url: string) => `
import { connect, typed } from 'concord-client';
import { vocabulary } from './vocabulary.ts';

const table = typed(await connect('${url}', { agentId: 'stranger' }), vocabulary);
await table.put('Element', { symbol: 'Fe', meltingPoint: 1811 }, { certainty: 0.9, source: 'CRC' });
const [iron] = await table.elements({ where: { symbol: { eq: 'Fe' } }, select: { meltingPoint: true } });
const point: number | null | undefined = iron?.meltingPoint;
console.log(JSON.stringify({ point }));
// @ts-expect-error there is no such field
table.put('Element', { symbol: 'Fe', boilingPoint: 1 }).catch((error: Error) => console.log(error.message));
`;

beforeAll(async () => {
  const { stdout } = await run(process.execPath, ['scripts/client-package.mjs']);
  await run('npm', ['pack', '--silent', '--pack-destination', folder, resolve(stdout.trim())]);
  const packed = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  // No registry: what it needs comes from what is installed here.
  const options = ['--offline', '--no-package-lock', '--install-links', '--silent'];
  await run('npm', ['install', ...options, join(folder, packed), resolve('node_modules/eventsource-parser')], {
    cwd: folder,
  });
  const types = await readFile('examples/vocabulary.ts', 'utf8');
  await writeFile(join(folder, 'vocabulary.ts'), types);
  await writeFile(join(folder, 'program.ts'), program(service.url));
});

test('the package has the version of the service, and installs nothing of what only that needs', async () => {
  const installed = await readdir(join(folder, 'node_modules'));
  expect(installed.filter((name) => !name.startsWith('.')).sort()).toEqual(['concord-client', 'eventsource-parser']);
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/concord-client/package.json'), 'utf8'));
  const own = JSON.parse(await readFile('package.json', 'utf8'));
  expect(manifest).toMatchObject({
    version: own.version,
    dependencies: { 'eventsource-parser': own.dependencies['eventsource-parser'] },
  });
});

test('another project writes and asks with it, typed', async () => {
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
  await run(process.execPath, [tsc, ...options, '--allowImportingTsExtensions', 'program.ts'], {
    cwd: folder,
  }).catch(({ stdout }) => {
    throw new Error(stdout);
  });
  const tsx = ['--import', import.meta.resolve('tsx'), 'program.ts'];
  const { stdout } = await run(process.execPath, tsx, { cwd: folder });
  expect(stdout.trim().split('\n')).toEqual(['{"point":1811}', 'Element.boilingPoint is no field of Element']);
});
