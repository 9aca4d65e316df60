import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { QueryResult } from '../../src/knowledge/query/query.ts';
import type { UpdateResult } from '../../src/knowledge/update/propose.ts';
import { follow } from '../support/events.ts';
import { bearerOf, identities } from '../support/identities.ts';
import { world } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useService } from '../support/setUp.ts';
import { exchange } from './model/exchange.ts';
import type { Model, Policies } from './model/model.ts';
import { countLeft, occurrences } from './model/occurrences.ts';
import {
  asEvent,
  asStatement,
  asVersion,
  graphQuery,
  historyQuery,
  inOrder,
  ofEvent,
  ofTold,
  type Told,
  timesOf,
} from './model/readings.ts';
import { entityIds, scenarios } from './model/scenario.ts';

const runs = Number(process.env.RUNS ?? 40);
/** The same scenarios each time, so that this fails only for what somebody has changed; SEED=… looks at others. */
const seed = Number(process.env.SEED ?? 1);

/** As the vocabulary says. */
const policies: Policies = {
  [`${world}nativeName`]: 'MAX',
  [`${world}population`]: 'NOISY_OR',
  [`${world}borders`]: 'NOISY_OR',
};
let tenants = 0;

const service = useService({ ...identities, VOCABULARY: 'test/knowledge/model/vocabulary.graphql' });

/** The credentials of the agents of a new tenant. */
function newTenant(): (agent: string) => Record<string, string> {
  tenants += 1;
  const tenant = `model-${tenants}`;
  return (agent) => bearerOf({ tenant, sub: agent }, { expiresIn: '1h' });
}

async function ask(query: string, metadata: object, headers: Record<string, string>) {
  const params = { query, metadata, variables: query === graphQuery ? { ids: entityIds } : {} };
  const { result, error } = await call<QueryResult>(service.url, 'knowledge/query', params, headers);
  expect(error).toBeUndefined();
  return result.data as Record<string, Told[]>;
}

async function statementsAt(metadata: object, headers: Record<string, string>): Promise<Told[]> {
  const { entities = [] } = await ask(graphQuery, metadata, headers);
  return inOrder(entities.flatMap(({ statements }) => (statements as Told[]).map(ofTold)));
}

async function history(headers: Record<string, string>): Promise<Told[]> {
  return inOrder(Object.values(await ask(historyQuery, {}, headers)).flatMap((versions) => versions.map(ofTold)));
}

async function log(length: number, headers: Record<string, string>) {
  const subscriptionQuery = 'subscription { statementChanged { op } }';
  const stream = await follow(service.url, { subscriptionQuery, metadata: { afterSequence: 0 } }, headers);
  await stream.until(length);
  stream.close();
  return stream.events.map(ofEvent);
}

async function compare(model: Model, headers: Record<string, string>): Promise<void> {
  const revisions = Array.from({ length: model.revision + 1 }, (_, revision) => revision);
  const [now, past, versions, events] = await Promise.all([
    statementsAt({}, headers),
    Promise.all(revisions.map((asOfRevision) => statementsAt({ asOfRevision }, headers))),
    history(headers),
    log(model.log.length, headers),
  ]);
  const times = timesOf(versions);
  const holding = (revision: number) => inOrder(model.at(revision).map((utterance) => asStatement(utterance, times)));
  expect(now).toEqual(holding(model.revision));
  expect(past).toEqual(revisions.map(holding));
  expect(versions).toEqual(inOrder(model.utterances.map((utterance) => asVersion(utterance, times))));
  expect(events).toEqual(model.log.map(asEvent));
}

test(`graph, history and change log are those of a plain model in memory (SEED=${seed} RUNS=${runs})`, async () => {
  const seen = occurrences();
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const as = newTenant();
      const model = await exchange(scenario, policies, seen, (agent, params) =>
        call<UpdateResult>(service.url, 'knowledge/update', params, as(agent)),
      );
      await compare(model, as('ann'));
      countLeft(seen, model, policies);
    }),
    { seed, numRuns: runs },
  );
  process.stdout.write(`SEED=${seed} RUNS=${runs}: ${seen}\n`);
  expect(seen.missing).toEqual([]);
}, 1_800_000);
