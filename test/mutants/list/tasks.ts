import type { Mutant } from '../apply.ts';
import { careless } from './careless.ts';

const tests = (...names: string[]) => names.map((name) => `test/${name}.test.ts`);

/** Tasks, and who runs them. */
export const tasks: Mutant[] = [
  ...careless('leases', 'src/graph/leases/leases.ts', tests('tasks/running/leases'), [
    [
      'a lease comes to life that was given up',
      'WITH n WHERE n.replica = $replica AND n.leaseUntil IS NOT NULL\n',
      'WITH n WHERE n.replica = $replica\n',
    ],
    [
      'who waits longest is taken over last',
      'WITH n ORDER BY n.leaseUntil LIMIT $limit',
      'WITH n ORDER BY n.leaseUntil DESC LIMIT $limit',
    ],
    [
      'a lease is renewed for the same id of other tenants',
      'MATCH (n:${name} {tenant: each.tenant, id: each.id}) USING INDEX SEEK n:${name}(tenant, id)',
      'MATCH (n:${name} {id: each.id})',
    ],
  ]),
  ...careless('leases', 'src/tasks/running/leases.ts', tests('tasks/running/leases'), [
    [
      'a replica that is gone is told to cancel',
      "WHEN t.leaseUntil >= datetime() THEN 'told'",
      "WHEN t.leaseUntil IS NOT NULL THEN 'told'",
    ],
    [
      'events that a step leaves are never removed',
      'CASE WHEN removed < $events THEN tasks ELSE [] END',
      'CASE WHEN removed <= $events THEN tasks ELSE [] END',
    ],
  ]),
  ...careless('taskWriter', 'src/tasks/store/taskWriter.ts', tests('tasks/store/taskWriter'), [
    [
      'the fault of one task is that of all',
      'else for (const each of group) await this.writeGroup([each]);',
      'else for (const each of group) each.reject(error);',
    ],
    [
      'what was written is owed for ever',
      '    this.underWay = this.underWay.filter(({ draft }) => !drafts.includes(draft));\n',
      '',
    ],
    [
      'what is held back is lost at a shutdown',
      '    for (const draft of [...this.held.keys()]) void this.write(draft);\n',
      '',
    ],
    [
      'what is about to be written is held back too',
      'if (this.held.has(draft) || this.waiting.has(draft)) return;',
      'if (this.held.has(draft)) return;',
    ],
  ]),
  ...careless('guard', 'src/a2a/handler/guard.ts', tests('a2a/handler/guard'), [
    [
      'who has gone is told that it has',
      'if (signal.aborted && !(signal.reason instanceof CallerGone)) throw signal.reason;',
      'if (signal.aborted) throw signal.reason;',
    ],
    [
      'a turn that was taken for nothing is kept',
      "begins === 'claimed' || begins === 'begun' || turn === 'taken';",
      "begins === 'claimed' || begins === 'begun';",
    ],
  ]),
  ...careless('endpoint', 'src/a2a/jsonrpc/endpoint.ts', tests('a2a/jsonrpc/endpoint'), [
    [
      'who is refused is not told how to identify itself',
      "    response.set('WWW-Authenticate', thrown.challenge);\n",
      '',
    ],
    ['what a caller sends again after is forgotten', '      ...(lastEventId !== undefined && { lastEventId }),\n', ''],
  ]),
  ...careless('jsonrpc', 'src/a2a/jsonrpc/jsonrpc.ts', tests('a2a/jsonrpc/jsonrpc'), [
    [
      'an id is taken that reading has rounded',
      'return Number.isFinite(id) && Math.abs(id) <= Number.MAX_SAFE_INTEGER;',
      'return Number.isFinite(id);',
    ],
  ]),
  ...careless('retry', 'src/client/retry.ts', tests('client/retry'), [
    ['it tries on when its patience is over', ' || performance.now() - begun > patienceMs', ''],
  ]),
];
