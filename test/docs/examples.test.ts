import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Screen } from '../../demo/screen.ts';
import { tellStory } from '../../demo/story.ts';
import { findProgram } from '../../src/neo4jServer/programs.ts';
import type { Service } from '../../src/service/startService.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import { call, neo4jSettings, startServiceOnGraph, startTestService } from '../support/service.ts';
import { documents } from './documents.ts';
import { type Block, blocksOf, settingsOf, steady } from './examples.ts';

/*
 * Runs the examples of the documents, in this order, on the graph of the demo. Pages build on what those before have
 * written: of some alone, run `-t 'README|query'`. By what stands behind the fence:
 *   sh, ts, js       a program; with `stream` one that doesn't end: the blocks behind it run meanwhile
 *   graphql          a query, or a vocabulary
 *   cypher           a rule as it stands in cypher/alignment
 *   … answer         what the block before answers or, behind sh, what the stream has written; ids, times and revisions
 *                    may differ
 *   json file=NAME   a file for the blocks behind it and for the page's service (`<!-- service: POLICY=NAME -->`)
 * What isn't run has `<!-- not run: reason -->` in the line above.
 */
const pages = [
  'README.md',
  'docs/query.md',
  'docs/questions.md',
  'docs/sources.md',
  'docs/subscribe.md',
  'docs/tasks.md',
  'docs/agents.md',
  'docs/delegation.md',
  'docs/workflows.md',
  'docs/agentos.md',
  'docs/gateway.md',
  'docs/rest.md',
  'docs/one.md',
  'docs/client.md',
  'docs/security.md',
  'docs/audit.md',
  'docs/update.md',
  'docs/concepts.md',
  'docs/vocabulary.md',
  'docs/operations-security.md',
  'docs/developing.md',
  'docs/licences.md',
  'docs/cli.md',
  ...['install', 'image', 'configure', 'secure', 'upgrade', 'backup', 'browser'].map(
    (name) => `docs/operate/${name}.md`,
  ),
];

/** Inside of the package, so that `concord/client` and `concord/agent` are found. */
const folder = join(process.cwd(), '.cache/examples');
const demo = {
  VOCABULARY: 'demo/world.graphql',
  AGENT_TRUST: 'rumour=0.2',
  PUSH_ALLOW: '127.0.0.1',
  AGENT_ALLOW: '127.0.0.1',
};

const patienceMs = 60_000;

const missing = ['bash', 'curl', 'zcat'].filter((program) => findProgram(program, process.env) === undefined);
if (missing.length > 0) process.stderr.write(`SKIPPED. The examples are not run: there is no ${missing.join(', ')}\n`);

let service: Service;
let own: Service | undefined;
let stream: Run | undefined;
/** All of a page. */
const streams: Run[] = [];

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const triple = '<urn:example:a> <https://schema.org/name> "Atlantis" .\n';
  writeFileSync(join(folder, 'world.ttl'), triple);
  for (const file of ['world.nt.gz', 'world.nq.gz']) writeFileSync(join(folder, file), gzipSync(triple));
  service = await startTestService(demo);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  await tellStory(service.url, new Screen(nowhere));
});
afterEach(async () => {
  for (const each of streams.splice(0)) each.end();
  stream = undefined;
  await own?.close();
  own = undefined;
});
afterAll(() => service?.close());

(missing.length === 0 ? it : it.skip).each(pages)(
  '%s shows what happens',
  async (path) => {
    const page = readFileSync(path, 'utf8');
    const blocks = blocksOf(page);
    for (const { role, text } of blocks) {
      if (role.startsWith('file=')) writeFileSync(join(folder, role.slice(5)), text);
    }
    const settings = settingsOf(page);
    if (settings) {
      const inFolder = Object.entries(settings).map(([name, file]) => [name, join(folder, file)]);
      own = await startServiceOnGraph({ ...demo, ...Object.fromEntries(inFolder) });
    }
    for (const [index, block] of blocks.entries()) {
      if (block.notRun !== undefined || !isExample(block)) continue;
      const shown = blocks[index + 1]?.role === 'answer' ? blocks[index + 1] : undefined;
      try {
        await show(block, shown, own ?? service);
      } catch (error) {
        throw new Error(`${path}:${block.line}: ${(error as Error).message}`, { cause: error });
      }
    }
  },
  240_000,
);

it.each(pages)('%s has each answer right behind its example', (path) => {
  const blocks = blocksOf(readFileSync(path, 'utf8'));
  const lost = blocks.filter(({ role }, index) => role === 'answer' && !isExample(blocks[index - 1]));
  expect(lost.map(({ line }) => `${path}:${line}`)).toEqual([]);
});

it('knows every page that has examples', () => {
  const others = documents().filter(({ path, text }) => !pages.includes(path) && blocksOf(text).length > 0);
  expect(others.map(({ path }) => path)).toEqual([]);
});

/** Neither an answer nor a file. */
const isExample = (block: Block | undefined) =>
  block !== undefined && block.role !== 'answer' && !block.role.startsWith('file=');

async function show(block: Block, shown: Block | undefined, { url }: Service): Promise<void> {
  if (block.language === 'graphql' && block.text.startsWith('extend schema')) {
    parseVocabulary(block.text, block.language);
  } else if (block.language === 'cypher') {
    const [, rule] = block.text.match(/^\/\/ rule: (\S+)$/m) ?? [];
    expect(readFileSync(`cypher/alignment/${rule}.cypher`, 'utf8')).toContain(block.text.trim());
  } else if (block.role === 'stream') {
    const before = await openSubscriptions(url);
    stream = run(block, url);
    streams.push(stream);
    for (const end = Date.now() + patienceMs; (await openSubscriptions(url)) <= before; await sleep(50)) {
      if (Date.now() > end || stream.child.exitCode !== null) throw new Error(`No stream: ${stream.said}`);
    }
  } else {
    const answer = await answerOf(block, shown, url);
    const lines = shown?.text.trim().split('\n').length ?? 0;
    if (!shown) expect(steady(answer)).not.toHaveProperty('error');
    else if (stream && block.language === 'sh') expect(steady(await stream.written(lines))).toEqual(steady(shown.text));
    else expect(steady(answer)).toEqual(steady(shown.text));
  }
}

async function answerOf(block: Block, shown: Block | undefined, url: string): Promise<string> {
  if (block.language === 'graphql') {
    const { result, error } = await call(url, 'knowledge/query', { query: block.text });
    const id = shown ? JSON.parse(shown.text).id : 1;
    return JSON.stringify({ jsonrpc: '2.0', id, ...(error ? { error } : { result }) });
  }
  const program = run(block, url);
  const late = setTimeout(() => program.end(), patienceMs);
  const [code, signal] = await once(program.child, 'close');
  clearTimeout(late);
  if (signal) throw new Error(`It goes on after ${patienceMs / 1_000} s: mark it as a stream, or as not run`);
  if (code !== 0) throw new Error(`Exit code ${code}: ${program.said}`);
  return program.text();
}

interface Run {
  child: ChildProcess;
  said: string;
  text(): string;
  /** Ends it with what it has started. */
  end(): void;
  /** So many lines that aren't empty, as soon as they are there. */
  written(lines: number): Promise<string>;
}

function run({ language, text }: Block, url: string): Run {
  const script = text.replaceAll('http://127.0.0.1:4000', url).replaceAll('ws://127.0.0.1:4000', url);
  const child = spawn(...commandOf(language, script), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: {
      ...process.env,
      ...neo4jSettings,
      ...demo,
      VOCABULARY: join(process.cwd(), demo.VOCABULARY),
      CONCORD_URL: url,
    },
  });
  let written = '';
  const lines = () => written.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
  const started: Run = {
    child,
    said: '',
    text: () => written,
    end: () => child.pid !== undefined && child.exitCode === null && process.kill(-child.pid),
    async written(count) {
      for (const end = Date.now() + patienceMs; lines().length < count && Date.now() < end; ) await sleep(20);
      return lines().slice(0, count).join('\n');
    },
  };
  child.stdout?.on('data', (chunk) => {
    written += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    started.said += chunk;
  });
  return started;
}

function commandOf(language: string, script: string): [string, string[]] {
  if (language === 'sh') return ['bash', ['-euo', 'pipefail', '-c', `${commands}\n${script}`]];
  if (language !== 'ts' && language !== 'js') {
    throw new Error(`Neither run nor marked: a block of '${language}'`);
  }
  const file = join(folder, `example.${language === 'ts' ? 'mts' : 'mjs'}`);
  writeFileSync(file, script);
  return [process.execPath, ['--import', 'tsx', file]];
}

/** Of npm only `npm run concord --`: the rest would install and build while other tests run. */
const commands = `
concord() { node '${join(process.cwd(), 'dist/cli/main.js')}' "$@"; }
npm() {
  case "$*" in
    'run concord -- '*) concord "\${@:4}" ;;
    *) echo "'npm $*' is not for a test: mark it as not run" >&2; exit 1 ;;
  esac
}
`;

async function openSubscriptions(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const open = metrics.matchAll(/^concord_open_subscriptions(?:{.*})? (\d+)/gm);
  return [...open].reduce((sum, [, count]) => sum + Number(count), 0);
}
