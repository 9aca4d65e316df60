import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { airports } from '../../examples/airports.ts';
import { airportsPlain } from '../../examples/airportsPlain.ts';
import { periodicTable } from '../../examples/periodicTable.ts';
import { periodicTablePlain } from '../../examples/periodicTablePlain.ts';
import { pythonWithSdk } from '../a2a/python/environment.ts';
import { concord } from '../cli/command.ts';
import { useService } from '../support/setUp.ts';

const run = promisify(execFile);
const python = await pythonWithSdk();
const command = python.missing === undefined ? python.command : undefined;
const ifPython = command === undefined ? test.skip : test;
const langgraph = await pythonWithLangGraph();
const ifLangGraph = langgraph === undefined ? test.skip : test;

const service = useService({ VOCABULARY: 'examples/vocabulary.graphql', VOCABULARY_MODE: 'closed' });

const env = {
  ...process.env,
  PYTHONPATH: ['clients/python', 'examples/python'].map((path) => resolve(path)).join(':'),
};

/** One that has the packages of the example with LangGraph, which are many: who has none sees it said. */
async function pythonWithLangGraph(): Promise<string | undefined> {
  for (const each of [command, process.env.PYTHON_WITH_LANGGRAPH ?? 'python3']) {
    if (each === undefined) continue;
    const has = await run(each, ['-c', 'import httpx, langgraph, langchain_core']).then(
      () => true,
      () => false,
    );
    if (has) return each;
  }
  process.stderr.write('SKIPPED. The example with LangGraph is not tried: no Python has langgraph and httpx\n');
  return undefined;
}

async function printed(program: (url: string, print: (line: string) => void) => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  await program(service.url, (line) => lines.push(line));
  return lines;
}

async function printedBy(program: string | undefined, file: string): Promise<string> {
  const { stdout } = await run(program ?? '', [file, service.url], { env, timeout: 300_000 });
  return stdout;
}

test('the periodic table of three agents shows the most certain of what they say, and by statements the same', async () => {
  const lines = await printed(periodicTable);
  expect(lines).toHaveLength(6);
  expect(lines).toContain('Fe (d): 1811 K');
  expect(await printed(periodicTablePlain)).toEqual(lines);
});

test('the airports are there once, whichever program brings them', async () => {
  const lines = await printed(airports);
  expect(lines[0]).toBe('306 entities, 0 rejected');
  expect(lines).toHaveLength(4);
  expect(await printed(airportsPlain)).toEqual(lines);
  expect(await printed(airports)).toEqual(lines);
});

ifPython('the Python client does what its own tests say', async () => {
  const options = { cwd: 'clients/python', env: { ...env, CONCORD_URL: service.url }, timeout: 300_000 };
  const { stderr } = await run(resolve(command ?? ''), ['-m', 'unittest'], options);
  expect(stderr).toContain('\nOK');
});

ifPython('the library in Python finds who wrote several books', async () => {
  expect(await printedBy(command, 'examples/python/library.py')).toBe(
    'Knuth: Fundamental Algorithms, Seminumerical Algorithms, Sorting and Searching\n',
  );
});

ifLangGraph('an agent of LangGraph remembers and asks', async () => {
  expect(await printedBy(langgraph, 'examples/python/langgraph_tools.py')).toBe(
    '{"elements": [{"symbol": "Hg", "meltingPoint": 234.3}]}\n',
  );
});

test.each([
  ['examples/vocabulary.ts', []],
  ['examples/python/vocabulary.py', ['--python']],
])('%s is what concord types makes', async (file, options) => {
  const { printed: made } = await concord(['types', 'examples/vocabulary.graphql', ...options]);
  expect(await readFile(file, 'utf8')).toBe(made);
});

test('the page of the examples counts their lines', async () => {
  const page = await readFile('examples/README.md', 'utf8');
  const rows = [...page.matchAll(/^\|.*?`([\w/]+\.(?:ts|py))`.*?\| (\d+) \|$/gm)];
  expect(rows).toHaveLength(6);
  for (const [, file = '', count] of rows) {
    const text = await readFile(`examples/${file}`, 'utf8');
    expect([file, Number(count)]).toEqual([file, codeLines(text)]);
  }
});

test('the Python package has the version of the service', async () => {
  const project = await readFile('clients/python/pyproject.toml', 'utf8');
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(project).toContain(`\nversion = "${version}"\n`);
});

/** Lines that are neither empty nor a comment. */
function codeLines(text: string): number {
  const code = text.replace(/\/\*[\s\S]*?\*\/|"""[\s\S]*?"""/g, '');
  return code.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|#)/.test(line)).length;
}
