import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dictionary } from '../../src/graph/names/dictionary.ts';
import { buildSchema, toNeo4jTypeDefs } from '../../src/schema/schema.ts';
import { parseVocabulary } from '../../src/vocabulary/parse.ts';
import { startBare } from '../bench/servers.ts';
import { Random } from '../graph/qualify/random.ts';
import { identities } from '../support/identities.ts';
import { startTestService, testAddress, testDatabase } from '../support/service.ts';
import type { Fuzz } from './fuzz.ts';
import { type Answer, type Asked, askBare, askConcord, randomAsked } from './graphql/asked.ts';
import { loadGraph, policy } from './graphql/graph.ts';
import { faultOf, isDoubtful, isSlow } from './graphql/judge.ts';
import { planningTimes } from './graphql/planning.ts';

const vocabularyFile = 'test/fuzz/graphql/vocabulary.graphql';
const atOnce = 8;
/**
 * So many of the first may be slow, for the Java machine of Neo4j has just been started: it has yet to compile its
 * planner.
 */
const warmUp = 500;

/**
 * Random valid documents under random conditions of random principals, to Concord over both of its doors, and to a bare
 * server of `@neo4j/graphql` over the same database: what that answers, Concord answers; otherwise it refuses with a
 * reason.
 */
export const fuzzGraphql: Fuzz = async ({ cases, seed, timed, say, fault }) => {
  const opened: (() => Promise<unknown>)[] = [];
  try {
    const random = new Random(seed);
    const folder = await mkdtemp(join(tmpdir(), 'concord-fuzz-'));
    opened.push(() => rm(folder, { recursive: true }));
    const policyFile = join(folder, 'policy.json');
    await writeFile(policyFile, JSON.stringify(policy));
    const settings = { ...identities, VOCABULARY: vocabularyFile, POLICY: policyFile };
    const concord = await startTestService(settings);
    opened.push(() => concord.close());
    const times = await loadGraph(concord.url, random);

    const database = testDatabase();
    opened.push(() => database.close());
    const names = await Dictionary.load(database);
    const vocabulary = parseVocabulary(await readFile(vocabularyFile, 'utf8'), vocabularyFile);
    const { uri, user, password = '' } = testAddress();
    const bench = { quick: false, say, opened: (close: () => Promise<unknown>) => void opened.push(close) };
    const bare = await startBare(bench, { uri, user, password }, toNeo4jTypeDefs(vocabulary, names));
    const schema = await buildSchema(vocabulary, names);

    const counts = { data: 0, refused: 0, faults: 0 };
    let made = 0;
    let done = 0;
    const judge = async (asked: Asked, found: Answer, isTimed: boolean) => {
      const expected = await askBare(bare.url, asked);
      const wrong = faultOf(asked, found, expected);
      const slow = isSlow(found, expected);
      if (wrong === undefined || (slow && !isTimed)) return;
      counts.faults += 1;
      const planning = slow ? await planningTimes(database, schema, vocabulary, names, asked) : '';
      fault(describe(wrong, asked, expected) + planning);
    };
    const worker = async () => {
      while (made < cases) {
        made += 1;
        const isTimed = timed && made > warmUp;
        const asked = randomAsked(random, schema, times);
        const found = await askConcord(concord.url, asked);
        counts[found.error ? 'refused' : 'data'] += 1;
        if (isDoubtful(found)) await judge(asked, found, isTimed);
        done += 1;
        if (done % 100 === 0)
          say(`${done} documents: ${counts.data} answered, ${counts.refused} refused, ${counts.faults} faults`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  } finally {
    for (const close of opened.reverse()) await close();
  }
};

function describe(fault: string, { text, variables, ...asked }: Asked, bare: Answer): string {
  const { claims, door, conditions } = asked;
  const beside = bare.error ? `fails: ${bare.error.message.split('\n')[0]}` : 'answers';
  return [
    fault,
    `  ${text}`,
    `  ${JSON.stringify(variables)}`,
    `  ${door} ${JSON.stringify({ ...conditions, claims })}`,
    `  the bare server ${beside}, ${Math.round(bare.ms)} ms`,
  ].join('\n');
}
