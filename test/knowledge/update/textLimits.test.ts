import { expect, test } from '@jest/globals';
import { add } from '../../../src/client/index.ts';
import type { UpdateResult } from '../../../src/knowledge/update/propose.ts';
import { call } from '../../support/service.ts';
import { useDatabase, useService } from '../../support/setUp.ts';

const database = useDatabase();
const service = useService({ MAX_TEXT_CHARACTERS: '100000' });
const propose = (...mutations: object[]) => call<UpdateResult>(service.url, 'knowledge/update', { mutations });

test('a text has the length of the settings, and can be taken back when it is longer than they say', async () => {
  const long = add('urn:a', 'urn:p', 'x'.repeat(100_000));
  expect((await propose(long)).result.success).toBe(true);
  const longer = add('urn:a', 'urn:p', 'x'.repeat(100_001));
  expect((await propose(longer)).error?.message).toMatch(/is longer than 100000 characters/);
  expect((await propose({ ...longer, op: 'remove' })).result).toMatchObject({ statementsAffected: 0 });
  const rows = await database.run<{ size: number }>(
    'READ',
    'MATCH (:Entity {id: "urn:a"})-->(l:Literal) RETURN size(l.value) AS size',
  );
  expect(rows).toEqual([{ size: 100_000 }]);
});
