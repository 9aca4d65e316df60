import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimDirectory } from '../../src/neo4jServer/ownership.ts';
import { isRunning, recordOf, stopProcess } from '../../src/neo4jServer/processes.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'concord-owner-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const owners = () => readdirSync(directory).sort();

/** A process of its own that waits for a word, claims the directory and says whether it has got it. */
function contender(): ChildProcess {
  const module = new URL('../../src/neo4jServer/ownership.ts', import.meta.url).href;
  const script = `
    const { claimDirectory } = await import(${JSON.stringify(module)});
    console.log('ready');
    process.stdin.once('data', () => {
      try { claimDirectory(${JSON.stringify(directory)}); console.log('won'); }
      catch (error) { console.log(error.message); }
    });`;
  const options = ['--import', 'tsx', '--input-type=module', '-e', script];
  return spawn(process.execPath, options, { stdio: ['pipe', 'pipe', 'inherit'], env: process.env });
}

async function says(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no output');
  const [text] = await once(child.stdout, 'data');
  return String(text).trim();
}

describe('a data directory', () => {
  it('has one owner at a time, who is named to others', () => {
    const release = claimDirectory(directory);
    expect(() => claimDirectory(directory)).toThrow(
      `${directory} is in use by the Concord process ${process.pid}. Set DATA_DIR`,
    );
    release();
    claimDirectory(directory)();
  });

  it('is taken over from an owner whose process id now belongs to another process', () => {
    writeFileSync(join(directory, 'owner-7'), JSON.stringify({ pid: process.pid, started: 'long ago' }));
    claimDirectory(directory);
    expect(owners()).toEqual(['owner-8']);
  });

  it('is taken over from a dead owner by exactly one of several starts at once', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(directory, 'owner-3'), JSON.stringify({ pid: dead.pid, started: 'before' }));
    const contenders = [contender(), contender(), contender(), contender()];
    try {
      await Promise.all(contenders.map(says));
      const answers = contenders.map(says);
      for (const child of contenders) child.stdin?.write('go\n');
      const said = await Promise.all(answers);
      const winner = contenders[said.indexOf('won')];
      expect(said.filter((answer) => answer === 'won')).toHaveLength(1);
      expect(said.filter((answer) => answer.includes(`the Concord process ${winner?.pid}`))).toHaveLength(3);
      expect(owners()).toEqual(['owner-4']);
    } finally {
      for (const child of contenders) child.kill('SIGKILL');
    }
  });
});

describe('a recorded process', () => {
  it('no longer runs once it has ended, even while nobody has asked how', async () => {
    const child = spawn('sleep', ['60']);
    const record = recordOf(child.pid ?? 0);
    expect(record && isRunning(record)).toBe(true);
    if (record) await stopProcess(record, 1_000);
    expect(record && isRunning(record)).toBe(false);
  });

  it('is ended by force when it does not end by itself', async () => {
    const child = spawn('sh', ['-c', "trap '' TERM; echo ready; while :; do sleep 0.1; done"]);
    await says(child);
    const record = recordOf(child.pid ?? 0);
    if (record) await stopProcess(record, 300);
    expect(record && isRunning(record)).toBe(false);
  });
});
