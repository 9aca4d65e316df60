import { expect, test } from '@jest/globals';
import { confirmTarget } from '../../../src/cli/target/target.ts';
import { identities, tokenOf } from '../../support/identities.ts';
import { useService } from '../../support/setUp.ts';
import { concord } from '../command.ts';

const service = useService(identities);
const token = tokenOf({ tenant: 'acme', sub: 'atlas', scope: 'knowledge:query knowledge:update' });
const patch = JSON.stringify({
  op: 'add',
  statement: { subject: { id: 'urn:a' }, predicate: { id: 'urn:p' }, object: { value: 1 } },
});

test.each([
  ['update', ['update', '-'], patch],
  ['import', ['import', '-', '--format', 'nt'], '<urn:b> <urn:p> "b" .'],
])('%s says first which service it writes to, in which tenant and as whom', async (_, words, input) => {
  const { code, said } = await concord(words, { url: service.url, input, env: { CONCORD_TOKEN: token } });
  expect([code, said.split('\n')[0]]).toEqual([0, `Writing to ${service.url}, tenant acme, as agent atlas`]);
});

test('it asks at a terminal, unless it is the default service or the answer is given', async () => {
  const asked: string[] = [];
  const confirm = (answer: string, more: object = {}) =>
    confirmTarget(
      { url: service.url, token, ...more },
      {
        print: () => {},
        say: () => {},
        ask: async (question) => {
          asked.push(question);
          return answer;
        },
      },
    );
  await expect(confirm('')).rejects.toThrow('Nothing was written.');
  await confirm('y');
  expect(asked).toHaveLength(2);
  await confirm('n', { yes: true });
  expect(asked).toHaveLength(2);
});
