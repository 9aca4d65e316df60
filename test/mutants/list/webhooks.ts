import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const folder = 'src/knowledge/subscriptions';
const tests = (...names: string[]) => names.map((name) => `test/knowledge/subscriptions/${name}.test.ts`);

/** Changes that are sent to receivers, and notifications of tasks. */
export const webhooks: Mutant[] = [
  ...careless('deliveries', `${folder}/store.ts`, tests('store'), [
    [
      'a late answer sets the cursor back',
      'SET s.cursor = CASE WHEN s.cursor < $sequence THEN $sequence ELSE s.cursor END,',
      'SET s.cursor = $sequence,',
    ],
    [
      'who resumes keeps its failures',
      's.oldest = null, s.failures = 0, s.failure = null, s.failingSince = null ${returned}',
      's.oldest = null, s.failure = null, s.failingSince = null ${returned}',
    ],
    [
      'a replica moves the cursor of what another serves',
      'WHERE s.replica = $replica AND s.cursor < each.position',
      'WHERE s.cursor < each.position',
    ],
  ]),
  ...careless('deliveries', `${folder}/store.ts`, tests('store'), [
    [
      'an agent pauses the subscription of another',
      '`${matched} WHERE s.owner = $owner\n       SET s.pausedAt = coalesce',
      '`${matched}\n       SET s.pausedAt = coalesce',
    ],
    ['an agent deletes the subscription of another', ' WHERE s.owner = $owner DETACH DELETE', ' DETACH DELETE'],
    ['of subscriptions made at one time some are on no page', ' OR s.id > $id)', ')'],
  ]),
  ...careless('deliveries', `${folder}/store.ts`, tests('store'), [
    [
      'who closes lets others take what another serves',
      'WITH s WHERE s.replica = $replica AND s.leaseUntil IS NOT NULL\n       SET s.leaseUntil = datetime()`',
      'WITH s WHERE s.leaseUntil IS NOT NULL\n       SET s.leaseUntil = datetime()`',
    ],
    [
      'a replica counts failures of what another serves',
      'WITH s WHERE s.replica = $replica AND s.leaseUntil IS NOT NULL\n       SET s.failures',
      'WITH s WHERE s.leaseUntil IS NOT NULL\n       SET s.failures',
    ],
  ]),
  ...careless('deliveries', `${folder}/subscriptions.ts`, tests('creating'), [
    ['what expires resumes what is kept', '  requireLasting(call.principal);\n  const stored', '  const stored'],
    ['an address that is refused by now is served again', '  await parts.requireReceiver(stored.receiver);\n', ''],
    ['there may be one more in all', 'if (all >= inAll) throw', 'if (all > inAll) throw'],
    [
      'what is kept is as long as somebody writes',
      '  if (JSON.stringify(wanted).length <= longestWanted) return wanted;\n',
      '  if (wanted) return wanted;\n',
    ],
  ]),
  ...careless('deliveries', `${folder}/deliveries.ts`, tests('deliveries'), [
    [
      'what is resumed during its last batch is not served',
      '      if (before.isStopped) void before.done.then(() => this.begin(key));\n',
      '',
    ],
    [
      'a shutdown keeps what it has served',
      '    if (keys.length > 0) await this.parts.store.release(keys).catch(this.parts.onError);\n',
      '',
    ],
  ]),
  ...careless('deliveries', `${folder}/delivery.ts`, tests('delivery'), [
    [
      'what a batch has no room for is lost',
      "return events === batch.length ? { kind: 'on' } : { kind: 'anew', restMs: 0 };",
      "return { kind: 'on' };",
    ],
    ['what no attempt mends is tried again', '    if (why !== undefined) return this.pause(why);\n', ''],
    [
      'waits double without an end',
      'Math.min(patience.longestMs, patience.baseMs * 2 ** Math.min(failures - 1, 30));',
      'patience.baseMs * 2 ** Math.min(failures - 1, 30);',
    ],
    ['who is cut off by a shutdown has failed', "    if (this.cutting.signal.aborted) return { kind: 'ended' };\n", ''],
  ]),
  ...careless('deliveries', `${folder}/eventBatch.ts`, tests('delivery'), [
    [
      'an event that is too long by itself is never sent',
      'if (bytes > limits.bytes && texts.length > 0) break;',
      'if (bytes > limits.bytes) break;',
    ],
  ]),
  ...careless('deliveries', `${folder}/subscriptions.ts`, tests('creating'), [
    [
      'the stream stays open by which it was tried',
      '  } finally {\n    open.abort();\n  }\n',
      '  } finally {\n    void open;\n  }\n',
    ],
    [
      'of two that come at once both are the last',
      'const stored = await oneAtATime(async () => {',
      'const stored = await ((work: () => Promise<StoredSubscription>) => work())(async () => {',
    ],
  ]),
  ...careless(
    'receiverQueue',
    'src/push/receiverQueue.ts',
    ['test/push/receiverQueue.test.ts'],
    [
      [
        'a receiver that was paused gets all attempts',
        'const attempts = this.failures >= patience.failures ? 1 : patience.attempts;',
        'const attempts = patience.attempts;',
      ],
      [
        'who is paused is forgotten',
        'return this.working === undefined && this.parts.now() >= this.pausedUntil;',
        'return this.working === undefined;',
      ],
    ],
  ),
];
