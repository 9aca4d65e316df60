import { expect, test } from '@jest/globals';
import { lineOf } from '../../src/graph/setup/looseSettings.ts';
import { hardenedEnvironment } from '../../src/neo4jServer/docker.ts';
import { hardenings } from '../../src/neo4jServer/hardening.ts';

const isTight = (setting: string, value: string) =>
  hardenings('1g')
    .find((each) => each.setting === setting)
    ?.isTight?.(value);

test.each([
  ['dbms.security.auth_enabled', 'true', 'false'],
  ['dbms.security.allow_csv_import_from_file_urls', 'false', 'true'],
  ['dbms.security.procedures.allowlist', 'apoc.version, apoc.date.convertFormat', '*'],
  ['dbms.security.procedures.allowlist', 'apoc.version', 'apoc.version,apoc.load.*'],
  ['dbms.security.procedures.unrestricted', '', 'apoc.*'],
  ['dbms.security.procedures.unrestricted', 'none', 'none,apoc.trigger.*'],
  ['dbms.security.procedures.unrestricted', 'apoc.trigger.install,apoc.trigger.list', 'apoc.trigger.*'],
  ['db.transaction.timeout', '30s', '0s'],
  ['db.memory.transaction.max', '512.00MiB', '0B'],
])('%s is tight with %j and loose with %j', (setting, tight, loose) => {
  expect(isTight(setting, tight)).toBe(true);
  expect(isTight(setting, loose)).toBe(false);
});

test('one transaction may take half the heap', () => {
  const most = (heap: string) => hardenings(heap).find(({ setting }) => setting === 'db.memory.transaction.max')?.value;
  expect([most('1g'), most('3g'), most('513m')]).toEqual(['512m', '1536m', '257m']);
});

test('the image of Neo4j gets the settings by its names, and none without a value', () => {
  expect(hardenedEnvironment('1g')).toEqual({
    NEO4J_dbms_security_auth__enabled: 'true',
    NEO4J_dbms_security_allow__csv__import__from__file__urls: 'false',
    NEO4J_dbms_security_procedures_allowlist:
      'apoc.version,apoc.date.convertFormat,apoc.util.validate,' +
      'apoc.trigger.install,apoc.trigger.drop,apoc.trigger.show,apoc.trigger.list',
    NEO4J_dbms_security_procedures_unrestricted:
      'apoc.trigger.install,apoc.trigger.drop,apoc.trigger.show,apoc.trigger.list',
    NEO4J_internal_dbms_cypher__ip__blocklist: '0.0.0.0/0,::/0',
    NEO4J_db_transaction_timeout: '10m',
    NEO4J_db_memory_transaction_max: '512m',
    NEO4J_apoc_import_file_enabled: 'false',
    NEO4J_apoc_import_file_allow__read__from__filesystem: 'false',
    NEO4J_apoc_export_file_enabled: 'false',
    NEO4J_apoc_trigger_enabled: 'true',
    NEO4J_apoc_trigger_refresh: '1000',
  });
});

test('what the user may not see is told as that, with what to look for', () => {
  const finding = { setting: 'dbms.a', state: 'unknown', wanted: '', risk: 'it leaks' } as const;
  expect(lineOf(finding)).toBe(
    "unknown: dbms.a is not shown to Concord's user; see that it is empty, for else it leaks",
  );
});
