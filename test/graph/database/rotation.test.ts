import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Database } from '../../../src/graph/database/database.ts';
import { testAddress } from '../../support/service.ts';
import { useFolder } from '../../support/setUp.ts';

const file = join(useFolder(), 'password');
const system = new Database({ ...testAddress(), database: 'system' });
let database: Database | undefined;

afterAll(async () => {
  await database?.close();
  await system.run('WRITE', 'DROP USER rotating IF EXISTS');
  await system.close();
});

test('a password that changes in Neo4j and in its file is taken up without a restart', async () => {
  const before = { password: 'the password of before' };
  const now = { password: 'the password of now' };
  writeFileSync(file, `${before.password}\n`);
  await system.run('WRITE', 'CREATE USER rotating SET PASSWORD $password CHANGE NOT REQUIRED', before);
  const opened = new Database({ ...testAddress(), user: 'rotating', ...before, passwordFile: file });
  database = opened;
  await opened.run('READ', 'RETURN 1 AS one');
  await system.run('WRITE', 'ALTER USER rotating SET PASSWORD $password', now);
  // The connection that there is goes on until the file has come.
  await opened.run('READ', 'RETURN 1 AS one');
  writeFileSync(file, `${now.password}\n`);
  const reads = Array.from({ length: 5 }, () => opened.read(async (tx) => tx.run('RETURN 1 AS one'), 5_000));
  expect(await Promise.all(reads)).toHaveLength(5);
});
