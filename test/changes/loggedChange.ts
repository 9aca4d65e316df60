import type { LoggedChange } from '../../src/graph/updates/changeLog.ts';

/** An addition as the change log has it. */
export const loggedChange = (sequence: number, subject = 's', predicate = 'p'): LoggedChange => ({
  sequence,
  changeId: `c${sequence}`,
  op: 'add',
  statement: { subject: { id: subject }, predicate: { id: predicate }, object: { id: 'o' } },
  timestamp: '2024-01-01T00:00:00.000Z',
  updateId: 'u',
  revision: 1,
  sourceAgentId: 'ann',
});
