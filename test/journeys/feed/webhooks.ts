import type { ConcordClient } from '../../../src/client/index.ts';
import type { Random } from '../../graph/qualify/random.ts';
import type { Received, TestReceiver } from '../../push/receiver.ts';
import { expectedLines, type Filter } from './filters.ts';
import { type LoggedStatement, lineOf } from './log.ts';
import { difference, type Following, type Subscriber } from './subscriber.ts';

interface Delivered {
  id: string;
  data: {
    op: string;
    changeId: string;
    statement: { subject: { id: string }; predicate: { id: string }; object: LoggedStatement['object'] };
    changeMetadata: { sequence: number };
  };
}

/** Has the receiver fail now and then, after it has read what came: the same is to come again. */
export function failSometimes(receiver: TestReceiver, random: Random): void {
  receiver.answer = (response) => {
    response.statusCode = random.chance(0.05) ? 503 : 204;
    response.end();
  };
}

/**
 * Keeps a subscription whose changes come to the receiver under a path of its own, and reads them as the documents say:
 * what is not above the highest sequence number that it has dealt with came before.
 * @param url the receiver, behind what cuts connections
 */
export async function overWebhook(
  client: ConcordClient,
  filter: Filter,
  { receiver, url, path }: { receiver: TestReceiver; url: string; path: string },
  { begin, seen }: Following,
): Promise<Subscriber> {
  const { where, requiredCertainty } = filter;
  const { id } = await client.subscriptions.create(
    'subscription ($where: StatementChangedWhere) { statementChanged(where: $where) { op } }',
    { url: url + path },
    { variables: { where }, after: begin, requiredCertainty },
  );
  const ids = new Map<number, string>();

  function read(received: Received[]): { told: string[]; fault: string | undefined } {
    const told: string[] = [];
    let [last, fault]: [number, string | undefined] = [begin, undefined];
    for (const { body } of received.filter((each) => each.path === path)) {
      for (const event of JSON.parse(body) as Delivered[]) {
        const { op, changeId, statement, changeMetadata } = event.data;
        const { sequence } = changeMetadata;
        if (event.id !== (ids.get(sequence) ?? event.id)) fault = `${sequence} came again under another id`;
        ids.set(sequence, event.id);
        if (sequence <= last) continue;
        last = sequence;
        told.push(lineOf({ sequence, changeId, op }, [statement.subject.id, statement.predicate.id, statement.object]));
      }
    }
    return { told, fault };
  }
  let counted = 0;
  return {
    kind: 'webhook',
    asks: JSON.stringify({ where, requiredCertainty }),
    async fault(log) {
      const { told, fault } = read(receiver.received);
      seen.add('webhook', told.length - counted);
      counted = told.length;
      const { state, pause } = await client.subscriptions.get(id);
      if (state !== 'active') return `it is ${state}: ${JSON.stringify(pause)}`;
      return fault ?? difference(expectedLines(log, filter, begin), told);
    },
    close: async () => {},
  };
}
