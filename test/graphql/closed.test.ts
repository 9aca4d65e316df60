import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bearerOf, identities } from '../support/identities.ts';
import { add, world } from '../support/patches.ts';
import { call } from '../support/service.ts';
import { useFolder, useService } from '../support/setUp.ts';
import { openSocket, until } from './subscriber.ts';

const [area, population] = [`${world}area`, `${world}population`];
const secret = 'urn:class:Secret';
const rule = { rule: 'census-only', predicates: [population], classes: [secret], except: { agents: ['census'] } };
const folder = useFolder({ 'policy.json': JSON.stringify({ closed: [rule] }) });
const service = useService({ ...identities, POLICY: join(folder, 'policy.json') });

const bearer = (agent: string) => bearerOf({ tenant: 'default', sub: agent });

test('what the policy closes to a principal does not arrive at its socket, nor may it be asked for', async () => {
  const mutations = [add('urn:c', population, 1), add('urn:c', area, 2)];
  const { error } = await call(service.url, 'knowledge/update', { mutations }, bearer('census'));
  expect(error).toBeUndefined();
  const query = `query Other { __typename }
    subscription Changes($in: [String!]) {
      statementChanged(afterSequence: 0, where: { predicate: { in: $in } }) { statement { predicate } }
    }`;
  const subscribe = (agent: string, variables?: { in: string[] }) => {
    const socket = openSocket(service.url, bearer(agent));
    return { socket, subscription: socket.subscribe(query, { operationName: 'Changes', variables }) };
  };
  const [census, scout, asking] = [
    subscribe('census', { in: [area, population] }),
    subscribe('scout', { in: [area] }),
    subscribe('scout', { in: [area, population] }),
  ];
  const everything = scout.socket.subscribe(
    'subscription { statementChanged(afterSequence: 0) { statement { predicate } } }',
  );
  await until(() => census.subscription.data.length === 2 && scout.subscription.data.length === 1);
  await until(() => asking.subscription.errors !== undefined && everything.data.length === 1);
  expect(everything.data).toEqual([{ statementChanged: { statement: { predicate: area } } }]);
  expect(asking.subscription.errors?.[0]?.extensions).toMatchObject({
    code: -32013,
    reason: 'closed-predicate',
    rule: 'census-only',
  });
  for (const { socket } of [census, scout, asking]) socket.close();
});

test('a closed class may not be asked for, however deep its name stands', async () => {
  const socket = openSocket(service.url, bearer('scout'));
  const wheres = [
    `{subject: {type: {eq: "${secret}"}}}`,
    `{or: [{op: {eq: add}}, {not: {and: [{object: {type: {in: ["urn:other", "${secret}"]}}}]}}]}`,
  ];
  for (const where of wheres) {
    const asked = socket.subscribe(`subscription { statementChanged(where: ${where}) { op } }`);
    await until(() => asked.errors !== undefined);
    expect(asked.errors?.[0]?.extensions).toMatchObject({ code: -32013, reason: 'closed-class' });
  }
  socket.close();
});
