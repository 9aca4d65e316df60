import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const update = (name: string) => `src/knowledge/update/${name}.ts`;
const tests = (...names: string[]) => names.map((name) => `test/knowledge/${name}.test.ts`);

/** What becomes of a proposal. */
export const updates: Mutant[] = [
  ...careless('applyPatches', update('applyPatches'), tests('update/applyPatches'), [
    [
      'what is left beside what was retracted is not told',
      '[...created, ...revised, ...retired].map(({ statement }) => property(statement))',
      '[...created, ...revised].map(({ statement }) => property(statement))',
    ],
    [
      'a replacement takes what other graphs say too',
      '.filter((current) => current.statement.graph === statement.graph)',
      '',
    ],
    [
      'what the statement was before is not told beside what it replaces',
      'held && !unchanged ? [held, ...superseded] : superseded;',
      'superseded.length > 0 || unchanged || !held ? superseded : [held];',
    ],
  ]),
  ...careless('voices', update('voices'), tests('update/voices'), [
    [
      'another provenance counts as nothing new',
      'return one.certainty === other.certainty && isDeepStrictEqual(one.provenance, other.provenance);',
      'return one.certainty === other.certainty;',
    ],
    [
      'who speaks again keeps its place',
      'return [...voices.filter((each) => each !== earlier), voice];',
      'return earlier ? voices.map((each) => (each === earlier ? voice : each)) : [...voices, voice];',
    ],
  ]),
  ...careless('classify', update('classify'), tests('update/classify'), [
    ['who retracts gives a class', "    if (op === 'remove') continue;\n", ''],
    ['who retracts under another class is told so', "      op !== 'remove' &&\n", ''],
  ]),
  ...careless('commit', update('commit'), tests('update/behindEdits', 'capture/capture'), [
    [
      'edits by hand that wait are passed',
      '  if (isBehindEdits && before.ledger.waitingEdits) throw new EditsWait();\n',
      '',
    ],
  ]),
  ...careless('commit', update('commit'), tests('review/review'), [
    [
      'an approval lets through whatever a rule says',
      "severity !== 'warn' && !(severity === 'review' && proposal.approvedBy)",
      "severity !== 'warn' && !proposal.approvedBy",
    ],
  ]),
  ...careless('commit', update('commit'), tests('update/commit'), [
    [
      'what certainty entities have is written with the first layer',
      'layer === layers.at(-1) ? certainties.known : []',
      'layer === layers[0] ? certainties.known : []',
    ],
  ]),
  ...careless('commit', update('commit'), tests('update/commit', 'purge/suppression'), [
    [
      'what would come back is blamed on another proposal of the group',
      '[steps[position]?.index ?? 0, violations]',
      '[position, violations]',
    ],
    [
      'any approval brings back what was erased',
      'isApproved: proposal.approvedBy !== undefined && proposal.bringsBack === true,',
      'isApproved: proposal.approvedBy !== undefined,',
    ],
  ]),
  ...careless('propose', update('propose'), tests('update/propose', 'update/idempotencyKeys'), [
    [
      'a refusal is kept without the ledger',
      '    await lockLedger(tx, tenant);\n    const since = keysSince();',
      '    const since = keysSince();',
    ],
    [
      'what a rule forbids is kept as waiting',
      "const isRejected = forbidden !== undefined || violations.some(({ severity }) => severity === 'reject');",
      "const isRejected = violations.some(({ severity }) => severity === 'reject');",
    ],
  ]),
  ...careless('propose', update('propose'), tests('update/propose', 'review/review'), [
    [
      'a proposal that fails its approval is written anew',
      '  if (proposal.approvedBy === undefined) {\n    const earlier',
      '  {\n    const earlier',
    ],
  ]),
  ...careless('propose', update('propose'), tests('update/propose', 'purge/purge'), [
    [
      'a proposal that waits does not say what it names',
      '    namedIds: idsOf(patches.map(({ statement }) => statement)),\n',
      '',
    ],
  ]),
  ...careless('propose', update('propose'), tests('purge/suppression'), [
    [
      'a dry run tells more of what was erased than the update would',
      '    if (isKeptAway(proposal, violations)) return { ...keptAway(violations), dryRun: true };\n',
      '',
    ],
  ]),
  ...careless('review', 'src/knowledge/review/review.ts', tests('review/review'), [
    [
      'a reviewer rejects what is closed to it',
      '    await requireOpen(parts, principal, pending);\n    const { proposal: _, ...update }',
      '    const { proposal: _, ...update }',
    ],
    [
      'why a proposal is held quotes what is closed',
      'proposals.map(({ verificationDetails: _, mutations, ...item }) => ({',
      'proposals.map(({ mutations, ...item }) => ({',
    ],
    ['a reviewer who sees some graphs decides on all', '    requireAllGraphs(call);\n', ''],
  ]),
  ...careless('review', 'src/knowledge/review/review.ts', tests('purge/suppression'), [
    [
      'a rejected proposal still names what was erased',
      '      ...(isSuppressedUpdate(update) && { namedIds: [], justification: undefined }),\n',
      '',
    ],
  ]),
  ...careless('shares', update('shares/fairGroup'), tests('update/writeQueue'), [
    ['what follows an approval goes with it', '    if (proposal.approvedBy !== undefined) break;\n', ''],
  ]),
  ...careless('shares', update('shares/fairGroup'), tests('update/shares/shares'), [
    ['one agent may have the whole of a group', '    if (own.taken === own.most) continue;\n', ''],
    ['who breaks rules waits for as long as others come', 'shares.isTurnOfApart || ', ''],
  ]),
  ...careless('writeQueue', update('writeQueue'), tests('update/writeQueue'), [
    [
      'what follows a proposal that is refused goes with it',
      'violations.has(index) || violations.has(index - 1);',
      'violations.has(index);',
    ],
  ]),
  ...careless(
    'ledger',
    'src/graph/updates/ledger.ts',
    ['test/graph/updates/ledger.test.ts'],
    [
      [
        'a hold whose time is over still holds',
        'coalesce(l.heldUntil > datetime(), false) AS isHeld',
        'l.heldUntil IS NOT NULL AS isHeld',
      ],
      ['a key is let go a moment early', 'WHERE byKey.proposedAt >= $keysSince', 'WHERE byKey.proposedAt > $keysSince'],
      [
        'a proposal that is decided keeps its patches',
        'SET u += each.properties, u.proposal = each.proposal',
        'SET u += each.properties',
      ],
      [
        'of several updates one counts',
        'revision: neo4j.int(ledger.revision + updates.length),',
        'revision: neo4j.int(ledger.revision + 1),',
      ],
      [
        "a page begins behind another tenant's update",
        'OPTIONAL MATCH (cursor:Update {id: $after}) WHERE cursor.tenant = $tenant',
        'OPTIONAL MATCH (cursor:Update {id: $after})',
      ],
      [
        'an update is put to the task of another tenant',
        'MERGE (t:Task {tenant: $tenant, id: each.taskId})\n',
        'MERGE (t:Task {id: each.taskId})\n',
      ],
    ],
  ),
];
