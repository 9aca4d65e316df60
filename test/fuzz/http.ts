import { readFile } from 'node:fs/promises';
import type { OpenApi } from '../../src/openapi/openApi.ts';
import { Random } from '../graph/qualify/random.ts';
import { Replica } from '../journeys/rolling/replica.ts';
import { startCollector } from '../support/collector.ts';
import { lastingPort } from '../support/ports.ts';
import { emptyGraph } from '../support/service.ts';
import type { Fuzz } from './fuzz.ts';
import { Generator } from './http/generator.ts';
import { faultOf, kindOf } from './http/judge.ts';
import { Secrets } from './http/secrets.ts';
import { Sender } from './http/send.ts';
import type { Shot } from './http/shot.ts';

const corpus = new URL('./http/corpus.jsonl', import.meta.url);
const atOnce = 12;
/** Who has set a receiver may read its token. */
const told = ['pushToken'];

/**
 * Malformed requests of every address, method and protocol to a Concord in a process of its own, after all those that
 * were found to be answered badly once (`corpus.jsonl`). Whatever comes, it answers or closes in time, has no fault of
 * its own, shows no stack, logs no error, and is there afterwards. None of its secrets, and of those that requests hold,
 * is in an answer, a log, a span or a metric.
 */
export const fuzzHttp: Fuzz = async ({ cases, seed, say, fault }) => {
  await emptyGraph();
  const secrets = await Secrets.make();
  const collector = await startCollector((signal, body) => secrets.look(signal, body));
  const grpcPort = await lastingPort();
  const errors: string[] = [];
  const replica = await Replica.on(
    {
      ...secrets.settings,
      ...collector.environment,
      ...{ GRPC_PORT: String(grpcPort), QUERY_TIMEOUT_MS: '2000', TASK_TIMEOUT_MS: '2000', AUDIT: 'all' },
      ...{ LOG_LEVEL: 'debug', TRACE_QUERY_TEXT: 'true' },
    },
    (line) => {
      secrets.look('logs', line);
      if (!/^\{"level":"(debug|info|warn)"/.test(line)) errors.push(line);
    },
  );
  try {
    await replica.start();
    const sender = new Sender(new URL(replica.url), `127.0.0.1:${grpcPort}`, secrets.credentials);
    const description = (await (await fetch(`${replica.url}/openapi.json`)).json()) as OpenApi;
    const known = (await readFile(corpus, 'utf8')).split('\n').filter(Boolean);
    const left = shots(
      known.map((line) => JSON.parse(line)),
      new Generator(new Random(seed), description),
      cases,
    );
    await sendAll(left, { sender, secrets, say, fault }).finally(() => sender.close());
    if (!(await replica.isReady())) fault('The service is not ready afterwards');
    const headers = { authorization: `Bearer ${secrets.credentials.token}` };
    secrets.look('metrics', await (await fetch(`${replica.url}/metrics`, { headers })).text());
  } finally {
    await replica.end().catch((error) => fault(`${error}`));
    await collector.close();
  }
  for (const line of errors.slice(0, 10)) fault(`The service has logged: ${line}`);
  for (const leak of secrets.leaks.slice(0, 10)) fault(leak);
};

interface SendParts {
  sender: Sender;
  secrets: Secrets;
  say(line: string): void;
  fault(text: string): void;
}

async function sendAll(left: Iterable<Shot>, { sender, secrets, say, fault }: SendParts): Promise<void> {
  const counts = new Map<string, number>();
  let done = 0;
  let faults = 0;
  const tryOne = async (shot: Shot) => {
    let answer = await sender.send(shot);
    // An answer to what wasn't read to its end may be lost with the connection, and a kept one may just have ended.
    if (answer.status === undefined && shot.kind === 'http') answer = await sender.send(shot);
    const kind = kindOf(shot, answer);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    secrets.look('an answer', answer.text, told);
    const wrong = faultOf(shot, answer);
    if (wrong !== undefined) {
      faults += 1;
      fault(`${wrong}\n${JSON.stringify(shot)}`);
    }
    done += 1;
    if (done % 1_000 === 0) say(`${done} requests, ${faults} faults`);
  };
  const worker = async () => {
    for (const shot of left) await tryOne(shot);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const [kind, count] of [...counts].sort(([, one], [, other]) => other - one)) say(`  ${count} ${kind}`);
}

function* shots(known: Shot[], generator: Generator, cases: number): Iterable<Shot> {
  yield* known;
  for (let made = 0; made < cases; made++) yield generator.next();
}
