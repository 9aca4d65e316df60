import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Patch } from '../../src/knowledge/patch.ts';
import type { Bench, Figure, Suite } from './bench.ts';
import { startImporter } from './importer.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { openOwnNeo4j } from './neo4j.ts';
import { type Credentials, root, startConcord } from './servers.ts';
import { wordnet } from './wordnet.ts';

const vocabularyFile = fileURLToPath(new URL('wordnet.graphql', import.meta.url));
const sizes = { quick: [10_000], usual: [100_000], large: [100_000, Number.POSITIVE_INFINITY] };

/**
 * How long a backup holds writes: of WordNet's first 100,000 statements, and with `--large` of all, with their change
 * log, beside a Concord that runs. Then each is restored into an empty database.
 */
export const backup: Suite = async (bench) => {
  const { server, driver, directory } = await openOwnNeo4j(bench);
  const machine = await describeMachine(driver);
  const concord = await startConcord(bench, server, vocabularyFile);
  const all = wordnet(Number.POSITIVE_INFINITY);
  const figures: Figure[] = [];
  let fed = 0;
  for (const size of bench.quick ? sizes.quick : bench.large ? sizes.large : sizes.usual) {
    bench.say(`Importing up to ${size.toLocaleString('en')} statements`);
    const importer = startImporter(bench, concord.url, 2_000);
    for (let part = await take(all, size - fed); part.length > 0; part = await take(all, size - fed)) {
      await importer.feed(part);
      fed += part.length;
    }
    await importer.end();
    figures.push(...(await measure(bench, server, directory, fed)));
  }
  return { machine: { ...machine, 'load after': loadAverage() }, figures };
};

/** The next of them, no more than are wanted. */
async function take(all: AsyncGenerator<Patch>, wanted: number): Promise<Patch[]> {
  const part: Patch[] = [];
  while (part.length < Math.min(wanted, 10_000)) {
    const { value, done } = await all.next();
    if (done) break;
    part.push(value);
  }
  return part;
}

interface Counted {
  nodes: number;
  relationships: number;
}

async function measure(bench: Bench, server: Credentials, directory: string, fed: number): Promise<Figure[]> {
  const group = `A graph of ${fed.toLocaleString('en')} statements`;
  const file = join(directory, 'concord.backup.gz');
  const taken = await command<Counted & { heldSeconds: number }>(['backup', file, '--json'], server);
  const { size } = await stat(file);
  bench.say(`${group}: writes were held for ${taken.answer.heldSeconds} s`);
  const empty = await openOwnNeo4j(bench);
  const restored = await command<Counted>(['restore', file, '--json'], empty.server);
  await empty.server.close();
  const figure = (name: string, value: number, unit: string): Figure => ({ group, name, value, unit });
  return [
    figure('nodes', taken.answer.nodes, ''),
    figure('relationships', taken.answer.relationships, ''),
    figure('writes are held', taken.answer.heldSeconds, 's'),
    figure('the whole command', taken.seconds, 's'),
    figure('the file', size / 2 ** 20, 'MiB'),
    figure('restoring it', restored.seconds, 's'),
    figure('nodes and relationships restored', restored.answer.nodes + restored.answer.relationships, ''),
  ];
}

/** The command `concord`, on a database. */
async function command<Answer>(words: string[], { uri, user, password }: Credentials) {
  const started = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/cli/main.js', ...words], {
    cwd: root,
    env: { ...process.env, NEO4J_URI: uri, NEO4J_USER: user, NEO4J_PASSWORD: password },
    maxBuffer: 2 ** 24,
  });
  return { answer: JSON.parse(stdout) as Answer, seconds: (performance.now() - started) / 1_000 };
}
