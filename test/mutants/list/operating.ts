import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const tests = (...names: string[]) => names.map((name) => `test/${name}.test.ts`);
const reconcile = tests('cli/commands');

/** What goes on beside updates and queries: edits by hand, what is compared and copied, and what comes back. */
export const operating: Mutant[] = [
  ...careless('capture', 'src/graph/capture/editRestorer.ts', tests('graph/capture/editRestorer'), [
    ['edits that were taken count as waiting', 'SET l.editsTaken = coalesce(l.editsTaken, 0) + size(edits)\n', ''],
    [
      'an element is put back twice',
      'WHERE later.number > $last SET later.isLater = true',
      'WHERE later.number > $last SET later.number = later.number',
    ],
  ]),
  ...careless('capture', 'src/graph/capture/editReader.ts', tests('knowledge/capture/capture'), [
    [
      'the last edit is taken first',
      'ORDER BY e.number`,\n    { tenant, last',
      'ORDER BY e.number DESC`,\n    { tenant, last',
    ],
    ['what joins two tenants becomes a statement', 's.tenant <> o.tenant AS joinsTenants', 'false AS joinsTenants'],
  ]),
  ...careless('capture', 'src/knowledge/capture/takeEdits.ts', tests('knowledge/capture/capture'), [
    [
      'what a rule finds without a subject holds nothing',
      'subjects.has(undefined) || subjects.has(statement.subject.id);',
      'subjects.has(statement.subject.id);',
    ],
  ]),
  ...careless('capture', 'src/knowledge/capture/capture.ts', tests('knowledge/capture/capture'), [
    [
      'what violates rules again is not held as a whole',
      'held.set(id, held.has(id) ? violations.map(({ subject: _, ...rest }) => rest) : violations);',
      'held.set(id, violations);',
    ],
  ]),
  ...careless('capture', 'src/knowledge/capture/capture.ts', tests('knowledge/capture/taking'), [
    ['who closes does not wait for what is being taken', '    await Promise.allSettled(this.running.values());\n', ''],
    [
      'who asks while edits are taken has them taken twice',
      'this.running.get(tenant) ?? this.takeTenant',
      'this.takeTenant',
    ],
    ['edits are taken while somebody loads', 'const hasCeased = !isLoading && made', 'const hasCeased = made'],
    ['edits that come for ever are never taken', 'hasCeased || now - since >= longestQuietMs', 'hasCeased'],
  ]),
  ...careless('capture', 'src/knowledge/capture/interpret.ts', tests('knowledge/capture/interpret'), [
    [
      'what is moved to another graph stays in the first',
      '  if (was.graph !== is.graph) {\n    told.patches.push(...removals(was, before, edit));\n',
      '  if (was.graph !== is.graph) {\n',
    ],
    [
      'what somebody deletes is taken back for them alone',
      'return sources.includes(agentOf(user)) ? [removal.data, removal.data] : [removal.data];',
      'return [removal.data];',
    ],
    [
      'what is written as another moment is gone',
      '(was.some(same(value)) && !is.some(same(value)))',
      '(was.some(same(value)) && !is.includes(value))',
    ],
  ]),
  ...careless('reconcile', 'src/knowledge/reconcile/reconcile.ts', reconcile, [
    ["what is another tenant's is looked at too", 'if (only === undefined || whose === only) await', 'await'],
    ['one page of entities is looked at', 'isMore = ids.length === limit;', 'isMore = ids.length > limit;'],
  ]),
  ...careless('reconcile', 'src/knowledge/reconcile/checkLog.ts', reconcile, [
    [
      'an edge is compared with what its update said first',
      'if (await isLastOfItsUpdate(tx, tenant, row, statementId, statement.subject.id))',
      'if (row)',
    ],
    [
      'what an update takes back that it has said counts as lost',
      'revision: row.revision ?? 0,\n  }));',
      'revision: (row.revision ?? 0) + 1,\n  }));',
    ],
  ]),
  ...careless('reconcile', 'src/knowledge/reconcile/mend.ts', reconcile, [
    [
      'a revision is given twice',
      'Math.max(ledger.revision, sequence > 0 ? await highestRevision(tx, tenant) : 0);',
      'ledger.revision;',
    ],
  ]),
  ...careless('breaker', 'src/graph/database/breaker.ts', tests('graph/database/breaker'), [
    ['the answer to the first probe is not heard', '    first.then(resolve, () => {});\n', ''],
    ['who was given up goes on', '    this.waiting.clear();\n', ''],
    [
      'a slow call has Neo4j asked all the time',
      'now - oldest.since > slowMs && now - this.probedAt > slowMs',
      'now - oldest.since > slowMs',
    ],
  ]),
  ...careless('tlsReload', 'src/security/rereading.ts', tests('security/rereading', 'security/certificateFiles'), [
    ['a file that is being replaced is a fault', 'const isTold = !isNew || !isPatient;', 'const isTold = true;'],
    [
      'a fault is told again and again',
      'this.last = { seen, isSettled: isTold };',
      'this.last = { seen, isSettled: false };',
    ],
  ]),
  ...careless('tlsReload', 'src/security/certificateFiles.ts', tests('security/certificateFiles'), [
    [
      'the certificate of before counts as a new one',
      '    if (textOf(certificate) === textOf(this.current)) return;\n',
      '',
    ],
  ]),
  ...careless('backup', 'src/graph/backup/backup.ts', tests('graph/backup/backup'), [
    [
      'what is restored is held as when it was copied',
      "packed(labels.includes('Ledger') ? kept : properties)",
      'packed(properties)',
    ],
    ['a task that is new by then is copied in part', 'if (known.has(key)) lines.push', 'lines.push'],
  ]),
  ...careless('backup', 'src/graph/updates/hold.ts', tests('graph/backup/backup'), [
    ['a tenant that is new meanwhile is not noticed', ' || (await ledgers(database)) > held;', ';'],
  ]),
  ...careless('backup', 'src/graph/backup/restore.ts', tests('graph/backup/backup'), [
    [
      'what a replica has written meanwhile is not looked for',
      'async () => {\n      await requireEmpty(database);\n',
      'async () => {\n',
    ],
  ]),
];
