import { refuse } from '../../base/reasons.ts';
import type { LedgerPlace } from '../../graph/updates/changeLog.ts';

/** A place among the statements of a snapshot, which are in the order of their subjects' ids and then of their own. */
export interface SnapshotPosition {
  subject: string;
  /** The id of the last statement that was told; absent where all of the subject were. */
  statement?: string;
}

/** A place in a snapshot. */
export interface SnapshotPlace extends LedgerPlace {
  /** What was told last; absent where nothing was. */
  position?: SnapshotPosition;
}

/** A place in a snapshot as text, to go on behind: the snapshot that it is in, and what was told of it last. */
export function snapshotCursor({ sequence, revision, position }: SnapshotPlace): string {
  const told = position
    ? Buffer.from(JSON.stringify([position.subject, position.statement])).toString('base64url')
    : '';
  return `${sequence}.${revision}.${told}`;
}

/** The place that a cursor tells; undefined where it isn't one of a snapshot. */
export function snapshotPlaceOf(cursor: string): SnapshotPlace | undefined {
  const [, sequence, revision, told] = /^(\d{1,15})\.(\d{1,15})\.([\w-]*)$/.exec(cursor) ?? [];
  if (sequence === undefined || revision === undefined || told === undefined) return undefined;
  const place = { sequence: Number(sequence), revision: Number(revision) };
  if (told === '') return place;
  const position = positionOf(Buffer.from(told, 'base64url').toString());
  return position && { ...place, position };
}

function positionOf(text: string): SnapshotPosition | undefined {
  try {
    const [subject, statement] = JSON.parse(text) as unknown[];
    return typeof subject === 'string' && typeof statement === 'string' ? { subject, statement } : undefined;
  } catch {
    return undefined;
  }
}

/** @throws ConcordError `cursor-ahead` where the graph has not come to the place, as after a restore */
export function requireReached(place: LedgerPlace, now: LedgerPlace): void {
  if (place.sequence <= now.sequence && place.revision <= now.revision) return;
  throw refuse(
    'cursor-ahead',
    `The cursor ${place.sequence} is ahead of the change log, which ends at ${now.sequence}`,
    { newest: now.sequence },
  );
}
