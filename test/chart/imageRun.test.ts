import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { add, connect } from '../../src/client/index.ts';
import { lastingPort } from '../support/ports.ts';
import { emptyGraph, neo4jSettings } from '../support/service.ts';
import { findRunner, tag } from './image/image.ts';

/*
 * Runs the image as Kubernetes would, beside the Neo4j of the tests: no right of root, no file system to write on.
 * `npm run test:image` builds it; without that it is skipped.
 */
const runner = findRunner();
if (runner === undefined) process.stderr.write('SKIPPED. The image is not run: `npm run test:image` builds it\n');
const withImage = runner === undefined ? describe.skip : describe;

withImage('the image', () => {
  const name = `concord-test-${process.pid}`;
  let url: string;
  let container: ChildProcess;
  let said = '';

  beforeAll(async () => {
    await emptyGraph();
    const [http, grpc] = await Promise.all([lastingPort(), lastingPort()]);
    url = `http://127.0.0.1:${http}`;
    const settings = { ...neo4jSettings, HOST: '127.0.0.1', PORT: String(http), GRPC_PORT: String(grpc) };
    container = spawn(runner ?? '', [
      ...['run', '--rm', '--name', name, '--network', 'host', '--read-only', '--cap-drop', 'all'],
      // Who has no systemd has nobody to call a health check; and no right to raise limits.
      ...(runner === 'podman'
        ? ['--no-healthcheck', '--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']
        : []),
      ...Object.entries(settings).flatMap(([key, value]) => ['-e', `${key}=${value}`]),
      tag,
    ]);
    for (const stream of [container.stdout, container.stderr]) stream?.on('data', (part) => (said += part));
    while (
      !(await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (container.exitCode !== null) throw new Error(`The container has ended:\n${said}`);
      await sleep(200);
    }
  });
  afterAll(() => {
    if (container.exitCode === null) execFileSync(runner ?? '', ['rm', '-f', name], { stdio: 'ignore' });
  });

  it('is less than 250 MB, and runs as nobody', () => {
    const format = ['--format', '{{.Size}} {{.Config.User}}'];
    const [size, user] = execFileSync(runner ?? '', ['image', 'inspect', ...format, tag], { encoding: 'utf8' }).split(
      ' ',
    );
    expect(Number(size)).toBeLessThan(250_000_000);
    expect(user?.trim()).toBe('65532:65532');
  });

  it('answers the three methods', async () => {
    const client = await connect(url, { agentId: 'tester' });
    // With what there is first, so that nothing depends on who comes first.
    const changes = client.subscribe('subscription { statementChanged { op } }', {}, { snapshot: true });
    const patch = add('urn:test:1', 'https://schema.org/name', 'One');
    expect(await client.update([patch])).toMatchObject({ success: true, statementsAffected: 1 });
    for await (const { op, statement } of changes) {
      expect([op, statement.subject.id]).toEqual(['add', 'urn:test:1']);
      break;
    }
    const { data } = await client.query('{ entities { id } }');
    expect(data).toEqual({ entities: [{ id: 'urn:test:1' }] });
  });

  it('ends by itself when it is told to', async () => {
    const ended = once(container, 'exit');
    execFileSync(runner ?? '', ['kill', '--signal', 'TERM', name], { stdio: 'ignore' });
    expect(await ended).toEqual([0, null]);
  });
});
