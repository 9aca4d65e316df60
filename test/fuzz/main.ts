import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { onNeo4j } from '../setup/onNeo4j.ts';
import type { Fuzz } from './fuzz.ts';

/** What can be sent at random, each with its usual number of cases, and loaded only when it is asked for. */
const targets: Record<string, { cases: number; load(): Promise<Fuzz> }> = {
  cypher: {
    cases: 20_000,
    load: async () => {
      const { run: ask } = await import('./cypher.ts');
      return async ({ fault, ...options }) => {
        const found = await ask(options);
        if (found > 0) fault(`${found} faults, told above`);
      };
    },
  },
  http: { cases: 100_000, load: async () => (await import('./http.ts')).fuzzHttp },
  ask: { cases: 5_000, load: async () => (await import('./ask.ts')).fuzzAsk },
  graphql: { cases: 10_000, load: async () => (await import('./graphql.ts')).fuzzGraphql },
};

const say = (line: string) => process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${line}\n`);

async function run(name: string, options: { cases?: number; seed: number }): Promise<void> {
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (target === undefined) {
    say(`There is no '${name}'; use one of: ${Object.keys(targets).join(', ')}`);
    process.exitCode = 1;
    return;
  }
  const { cases = target.cases, seed } = options;
  say(`${name}, ${cases} cases, --seed ${seed}`);
  await onNeo4j(async () => {
    const fuzz = await target.load();
    let faults = 0;
    const fault = (text: string) => {
      faults += 1;
      process.stdout.write(`${text}\n\n`);
    };
    await fuzz({ cases, seed, timed: true, say, fault });
    process.stdout.write(`--seed ${seed}: ${cases} cases, ${faults} faults\n`);
    if (faults > 0) process.exitCode = 1;
  });
}

const whole = (text: string) => Number.parseInt(text, 10);

await new Command('fuzz')
  .description('Sends random input to a real Concord. Progress goes to stderr, the faults to stdout.')
  .argument('<what>', `one of: ${Object.keys(targets).join(', ')}`)
  .option('--cases <number>', 'how many', whole)
  .option('--seed <number>', 'which ones', whole, randomInt(2 ** 31))
  .action(run)
  .parseAsync();
