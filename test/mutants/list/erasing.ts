import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const tests = (...names: string[]) => names.map((name) => `test/knowledge/${name}.test.ts`);

/** What is erased for good. */
export const erasing: Mutant[] = [
  ...careless('erasure', 'src/knowledge/purge/erasure.ts', tests('purge/erasure'), [
    [
      'statements stay that name the entity as their object',
      'return subject.id === erasure.subject || (!isLiteral(object) && object.id === erasure.subject);',
      'return subject.id === erasure.subject;',
    ],
    ['a name stays that is a key', 'isIn(key) || isIn(member)', 'isIn(member)'],
  ]),
  ...careless('purgeRun', 'src/knowledge/purge/purgeRun.ts', tests('purge/purge'), [
    [
      'what comes in meanwhile stays in the log',
      '    await this.eraseChanges(eraser, await eraser.changesHolding(this.text, scanned, ledger.sequence));\n',
      '',
    ],
    [
      'an id with quotes is not found in the log',
      'this.text = JSON.stringify(erasure.subject).slice(1, -1);',
      'this.text = erasure.subject;',
    ],
  ]),
  ...careless('purgeRun', 'src/knowledge/purge/purgeRun.ts', tests('purge/purge', 'capture/capture'), [
    [
      'edits by hand that wait are passed',
      '      if (isBehindEdits && ledger.waitingEdits) throw new EditsWait();\n',
      '',
    ],
  ]),
  ...careless('erasing', 'src/graph/erasing/eraser.ts', tests('purge/purge'), [
    ['what held before keeps its provenance', 'of [...types, past]) {', 'of types) {'],
  ]),
  ...careless('erasing', 'src/graph/erasing/suppression.ts', tests('purge/suppression'), [
    [
      'what an older key keeps away is not let back',
      'return (await takeOff(tx, tenant, keys, what)) > 0;',
      'return (await takeOff(tx, tenant, keys.slice(0, 1), what)) > 0;',
    ],
  ]),
];
