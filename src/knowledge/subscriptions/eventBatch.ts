import type { LoggedChange } from '../../graph/updates/changeLog.ts';
import { eventOf } from '../subscribe/subscribe.ts';

/** What one delivery may hold. A single event is sent however long it is. */
export interface BatchLimits {
  events: number;
  /** UTF-8, of the body. */
  bytes: number;
}

/** The body of a delivery. */
export interface EventBatch {
  body: Buffer;
  /** How many of the changes it holds, from the first. */
  events: number;
  /** The sequence number of the last one. */
  last: number;
}

export const eventBatchType = 'application/cloudevents-batch+json; charset=utf-8';

/** The type of every event; CloudEvents 1.0. */
export const eventType = 'concord.statement.changed';

/** Whoever gets the same change gets the same data: it is written once. */
const known = new WeakMap<LoggedChange, string>();

/** As many of the changes as a delivery may hold, in the JSON batch format of CloudEvents 1.0. */
export function eventBatch(changes: readonly LoggedChange[], subscriptionId: string, limits: BatchLimits): EventBatch {
  const texts: string[] = [];
  let [bytes, last] = [2, 0];
  for (const change of changes.slice(0, limits.events)) {
    const text = eventText(change, subscriptionId);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > limits.bytes && texts.length > 0) break;
    texts.push(text);
    last = change.sequence;
  }
  return { body: Buffer.from(`[${texts.join(',')}]`), events: texts.length, last };
}

/**
 * A change as an event of CloudEvents 1.0. Source and id are the same each time that it is sent, so that a receiver can
 * tell doubles.
 */
function eventText(change: LoggedChange, subscriptionId: string): string {
  const data = known.get(change) ?? JSON.stringify(eventOf(change));
  known.set(change, data);
  const attributes = {
    specversion: '1.0',
    id: change.changeId,
    source: `urn:uuid:${subscriptionId}`,
    type: eventType,
    subject: change.statement.subject.id,
    time: change.timestamp,
    datacontenttype: 'application/json',
  };
  return `${JSON.stringify(attributes).slice(0, -1)},"data":${data}}`;
}
