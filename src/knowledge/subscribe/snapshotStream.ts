import { Batches } from '../../base/batches.ts';
import type { StreamEvent } from '../../calls/call.ts';
import type { SnapshotEnd } from '../../wire/types.ts';
import type { Snapshot } from './follow.ts';
import type { SnapshotEvent } from './snapshot.ts';

/** The statements of a snapshot, then what says that these were all, then the changes behind it. */
export function snapshotStream<Event extends object>(
  { place: { sequence, revision }, statements }: Snapshot,
  changes: Batches<StreamEvent<Event>>,
  eventOf: (told: SnapshotEvent) => StreamEvent<Event>,
): Batches<StreamEvent<Event | SnapshotEnd>> {
  let isWhole = false;
  async function next(): Promise<readonly StreamEvent<Event | SnapshotEnd>[] | undefined> {
    if (isWhole) return changes.next();
    const page = await statements.next();
    if (page) return page.map(eventOf);
    isWhole = true;
    return [{ id: String(sequence), result: { snapshot: 'complete', sequence, revision } }];
  }
  const stop = () => {
    statements.stop();
    changes.stop();
  };
  const fail = (error: unknown) => {
    stop();
    throw error;
  };
  return new Batches(() => next().catch(fail), stop);
}
