import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { LimitStore } from '../../src/limits/limitStore.ts';
import { RateLimits } from '../../src/limits/rateLimits.ts';
import { createInstruments } from '../../src/telemetry/instruments.ts';
import { eventually } from '../a2a/testService.ts';
import { lastingPort } from '../support/ports.ts';

/* A real Redis where `redis-server` is on the path, as of Debian's package of that name; else the tests are skipped. */
const isThere = spawnSync('redis-server', ['--version']).status === 0;
if (!isThere) process.stderr.write('SKIPPED. Rate limits are not counted in a Redis: there is no redis-server here\n');
const password = 'a-password-of-redis';

(isThere ? describe : describe.skip)('with a Redis', () => {
  let port: number;
  let redis: ChildProcess;
  const stores: LimitStore[] = [];
  const lines: string[] = [];
  const failures = { count: 0 };

  async function startRedis(): Promise<void> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', password];
    redis = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of redis.stdout ?? []) if (String(line).includes('Ready to accept')) return;
  }

  async function stopRedis(): Promise<void> {
    const ended = once(redis, 'exit');
    redis.kill('SIGKILL');
    await ended;
  }

  /** A replica of a service with these limits. */
  async function replica(settings: Record<string, string>): Promise<RateLimits> {
    const store = new LimitStore(`redis://:${password}@127.0.0.1:${port}`, {
      instruments: { limitStoreFailures: { add: (count: number) => (failures.count += count) } as never },
      logger: {
        warn: (entry: object, text: string) => lines.push(`${JSON.stringify(entry)} ${text}`),
        info: (text: string) => lines.push(text),
      } as never,
    });
    stores.push(store);
    await store.start();
    return new RateLimits(readConfig(settings), createInstruments(), undefined, store);
  }

  const caller = (tenant: string, agentId: string) => ({ tenant, agentId, scopes: new Set<never>() });
  const admitted = async (limits: RateLimits, agent: string, method = 'x', tenant = 'north') =>
    limits.admitCall(caller(tenant, agent), method).then(
      () => 'admitted',
      (error) => error.data,
    );

  beforeAll(async () => {
    port = await lastingPort();
    await startRedis();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await stopRedis();
  });

  test('two replicas admit together what one would, of each agent, tenant, method and address', async () => {
    const settings = { RATE_LIMIT_AGENT: '5', RATE_LIMIT_METHODS: 'x=3,z=3', RATE_LIMIT_ADDRESS: '2' };
    const [one, other] = [await replica(settings), await replica(settings)];
    const calls = await Promise.all([one, other, one, other, one].map((each) => admitted(each, 'nora')));
    expect(calls.filter((each) => each === 'admitted')).toHaveLength(3);
    expect(calls).toContainEqual(expect.objectContaining({ policy: 'method', limit: 3, reason: 'rate-limited' }));
    // What the method has refused the agent hasn't counted.
    expect([await admitted(other, 'nora', 'y'), await admitted(one, 'nora', 'z')]).toEqual(['admitted', 'admitted']);
    expect(await admitted(other, 'nora', 'y')).toMatchObject({ policy: 'agent', retryAfterMs: expect.any(Number) });
    expect(await admitted(other, 'nora', 'x', 'south')).toBe('admitted');
    expect(await admitted(other, 'rita')).toBe('admitted');
    await one.admitAddress('192.0.2.1');
    await other.admitAddress('192.0.2.1');
    await expect(one.admitAddress('192.0.2.1')).rejects.toMatchObject({ data: { policy: 'address' } });
    await one.admitAddress('192.0.2.2');
    expect(lines).toEqual([]);
  });

  test('tokens are shared too, and what was not needed is given back', async () => {
    const settings = { MODEL_TOKENS_PER_DAY: '100' };
    const [one, other] = [await replica(settings), await replica(settings)];
    const nora = caller('north', 'nora');
    await one.admitTokens(nora, 150);
    await expect(other.admitTokens(nora, 1)).rejects.toMatchObject({ data: { reason: 'model-budget-used' } });
    one.settleTokens(nora, -60);
    await eventually(() =>
      other.admitTokens(nora, 1).then(
        () => true,
        () => false,
      ),
    );
  });

  test('while it is away, or frozen, each replica counts for itself, which is told once, and counted', async () => {
    const settings = { RATE_LIMIT_AGENT: '4' };
    const [one, other] = [await replica(settings), await replica(settings)];
    const since = (from: number) => lines.slice(from).filter((line) => line.includes('away'));
    expect([await admitted(one, 'lou'), await admitted(other, 'lou')]).toEqual(['admitted', 'admitted']);
    failures.count = 0;
    let from = lines.length;
    redis.kill('SIGSTOP');
    for (let times = 0; times < 3; times++) expect(await admitted(one, 'lou')).toBe('admitted');
    expect(await admitted(one, 'lou')).toMatchObject({ policy: 'agent', limit: 4 });
    expect(failures.count).toBe(4);
    expect(since(from)).toEqual([expect.stringContaining('not answered within 250 ms')]);
    redis.kill('SIGCONT');
    // Of these four it was asked for the first alone, which it has counted since.
    const counted = { policy: 'agent', limit: 4, window: 60, of: '', key: JSON.stringify(['north', 'lou']) };
    const standing = () => stores.at(-1)?.take({ ...counted, limit: 9 }, 0);
    await eventually(async () => (await standing()) !== undefined);
    expect(await standing()).toMatchObject({ remaining: 6 });
    from = lines.length;
    await stopRedis();
    await eventually(() => since(from).length >= 1);
    for (let times = 0; times < 4; times++) expect(await admitted(other, 'kim')).toBe('admitted');
    expect(await admitted(other, 'kim')).toMatchObject({ reason: 'rate-limited' });
    await startRedis();
    // It has forgotten, and all of them count together again.
    await eventually(async () => (await admitted(other, 'kim')) === 'admitted');
    expect(lines.join()).not.toContain(password);
  });

  test('a service begins without it, and says so once however often it tries', async () => {
    const told: string[] = [];
    const store = new LimitStore('redis://127.0.0.1:1', {
      instruments: { limitStoreFailures: { add: () => {} } as never },
      logger: { warn: (_: object, text: string) => told.push(text), info: () => {} } as never,
    });
    stores.push(store);
    await store.start();
    const limits = new RateLimits(readConfig({ RATE_LIMIT_AGENT: '1' }), createInstruments(), undefined, store);
    expect(await admitted(limits, 'nora')).toBe('admitted');
    expect(await admitted(limits, 'nora')).toMatchObject({ reason: 'rate-limited' });
    expect(told).toEqual(['The store of rate limits is away; each replica counts for itself']);
  });
});

test('the store is an address of Redis, and may be given by a file', () => {
  expect(() => readConfig({ RATE_LIMIT_STORE: 'http://cache' })).toThrow('RATE_LIMIT_STORE');
  expect(readConfig({ RATE_LIMIT_STORE: 'rediss://cache:6380/2' }).RATE_LIMIT_STORE).toBe('rediss://cache:6380/2');
});
