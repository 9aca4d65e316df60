import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startTracing, traceId, withSpan } from '../../src/telemetry/tracing.ts';

function collect() {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  return { lines, stream };
}

test('an entry inside a span carries its trace id, one outside carries none', async () => {
  const { lines, stream } = collect();
  const logger = createLogger('info', stream);
  const tracing = startTracing({ environment: {} });
  let id: string | undefined;
  await withSpan('work', {}, async () => {
    id = traceId();
    logger.info('inside');
  });
  logger.info('outside');
  expect(lines[0]).toMatchObject({ level: 'info', msg: 'inside', traceId: id });
  expect(lines[1]).not.toHaveProperty('traceId');
  await tracing.close();
});

test('secrets and what users sent are not written', () => {
  const { lines, stream } = collect();
  const error = Object.assign(new Error('broken'), { body: 'hunter2' });
  createLogger('info', stream).info({
    authorization: 'hunter2',
    headers: { authorization: 'hunter2', cookie: 'hunter2', 'x-api-key': 'hunter2' },
    req: { headers: { authorization: 'hunter2' }, body: 'hunter2' },
    params: { query: 'hunter2' },
    err: error,
    method: 'knowledge/query',
  });
  expect(JSON.stringify(lines)).not.toContain('hunter2');
  expect(lines[0]).toMatchObject({ method: 'knowledge/query', err: { message: 'broken' } });
});

test('entries below the level are not written', () => {
  const { lines, stream } = collect();
  createLogger('warn', stream).info('quiet');
  expect(lines).toEqual([]);
});
