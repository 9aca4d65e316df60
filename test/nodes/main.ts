import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/concord/nodes');

/** The lines of Node that still get fixes; the 20 of `engines` is tried by whoever has it. */
const supported = [22, 24, 26];

/** The short form of the suite: each door, each method, the clients, and what starts and stops a Neo4j. */
const short = [
  'test/knowledge/query/query',
  'test/knowledge/update/update',
  'test/knowledge/subscribe',
  'test/graphql',
  'test/a2a',
  'test/client',
  'test/cli/commands',
  'test/security/doors',
  'test/security/jwt',
  'test/neo4jServer/embedded',
  'test/journeys/tasks',
  'test/telemetry',
];

const say = (line: string) => process.stderr.write(`${line}\n`);

function run(command: string, args: string[], environment: NodeJS.ProcessEnv = process.env): Promise<number> {
  return new Promise((settle, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: environment });
    child.once('error', reject).once('exit', (code) => settle(code ?? 1));
  });
}

/**
 * The newest Node of a line, which npm has as a package; fetched once for a checkout.
 * @param line the major version
 * @throws Error where npm has none for this machine
 */
async function provideNode(line: number): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cache, String(line));
  const node = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(node)) return node;
  await mkdir(folder, { recursive: true });
  const args = ['install', '--no-save', '--no-package-lock', '--prefix', folder, `${name}@${line}`];
  if ((await run('npm', args)) !== 0 || !existsSync(node))
    throw new Error(`npm has no ${name}@${line} for this machine`);
  return node;
}

/** Commands of the tests find this Node as `node`, too. */
async function tryOn(line: number, files: string[]): Promise<number> {
  const node = await provideNode(line);
  const environment = { ...process.env, PATH: `${resolve(node, '..')}:${process.env.PATH}` };
  await run(node, ['-p', '"Node " + process.version'], environment);
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  return run(node, ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, ...files], environment);
}

function lineOf(text: string): number {
  if (!/^\d\d$/.test(text)) throw new InvalidArgumentError('Use a major version, as 24.');
  return Number(text);
}

await new Command('test:nodes')
  .description("Runs the suite's short form on other lines of Node, which npm brings.")
  .argument('[lines...]', 'major versions', (text, before: number[] = []) => [...before, lineOf(text)], [])
  .option('--files <paths...>', 'these tests in the place of the short form', short)
  .action(async (lines: number[], { files }: { files: string[] }) => {
    const results: string[] = [];
    for (const line of lines.length > 0 ? lines : supported) {
      try {
        const code = await tryOn(line, files);
        results.push(`Node ${line}: ${code === 0 ? 'passed' : 'failed'}`);
        if (code !== 0) process.exitCode = 1;
      } catch (error) {
        results.push(`Node ${line}: not tried: ${error instanceof Error ? error.message : error}`);
        process.exitCode = 1;
      }
    }
    for (const result of results) say(result);
  })
  .parseAsync();
