import { getOrInsert } from '../base/getOrInsert.ts';
import { utcTime } from '../base/utcTime.ts';
import type { Statement } from '../graph/statements/statement.ts';
import type { Classes } from '../graph/statements/statementReader.ts';
import type { LoggedChange } from '../graph/updates/changeLog.ts';
import type { ChangeFilter } from './filter.ts';

/** What statements must be for a subscriber to be told of them, beside what its filter asks. */
export interface Bounds {
  /** 0 to 1; a statement without certainty counts as 1. */
  requiredCertainty?: number;
  /** How long before its change a statement was observed at most. */
  maxAgeSeconds?: number;
}

/** A change as a subscriber is told it; undefined where it doesn't concern it. */
export type View = (change: LoggedChange, classes?: Classes) => LoggedChange | undefined;

const views = new WeakMap<LoggedChange, Map<string, LoggedChange>>();

/**
 * The changes of those statements that meet a filter and bounds. A statement that comes to meet them by rising is an
 * `add`; one that met them and gives place to none that does is a `remove`, also where it is only no longer certain
 * enough. Who asks for operations gets the changes as they were made.
 *
 * Those with equal filters and bounds get the same object.
 */
export function viewOf(filter: ChangeFilter, bounds: Bounds): View {
  const key = JSON.stringify([filter.key, bounds.requiredCertainty, bounds.maxAgeSeconds]);
  const { requiredCertainty = 0 } = bounds;
  const isBounded = Object.values(bounds).some((bound) => bound !== undefined);
  const isCertain = ({ certainty = 1 }: Statement) => certainty >= requiredCertainty;
  const isWithin = (change: LoggedChange) =>
    isCertain(change.statement) && (change.op === 'remove' || isYoung(change, bounds.maxAgeSeconds));

  function told(change: LoggedChange, classes: Classes | undefined): LoggedChange | undefined {
    const met = (change.previous ?? []).filter(
      (statement) => isCertain(statement) && filter.test({ ...change, op: 'remove', statement }, classes),
    );
    if (!isWithin(change) || !filter.test(change, classes)) return removalOf(change, met);
    if (!isBounded || met.length === (change.previous?.length ?? 0)) return change;
    return withPrevious(change, met);
  }

  return (change, classes) => {
    if (filter.asksOp || !change.previous) {
      return isWithin(change) && filter.test(change, classes) ? change : undefined;
    }
    const known = views.get(change)?.get(key);
    if (known) return known;
    const found = told(change, classes);
    if (found && found !== change) getOrInsert(views, change, () => new Map()).set(key, found);
    return found;
  };
}

/** The change as one that took the place of these only; of none, it adds its statement. */
export function withPrevious(change: LoggedChange, previous: Statement[]): LoggedChange {
  if (previous.length > 0) return { ...change, previous };
  const { previous: _, ...rest } = change;
  return { ...rest, op: 'add' };
}

/** The change for who is told of nothing but that these no longer hold; the others beside the first are `previous`. */
export function removalOf(change: LoggedChange, gone: Statement[]): LoggedChange | undefined {
  const [statement, ...others] = gone;
  if (statement === undefined) return undefined;
  const { previous: _, ...rest } = change;
  return { ...rest, op: 'remove', statement, ...(others.length > 0 && { previous: others }) };
}

/** By the time that its provenance tells; else it was observed when it was stated. */
function isYoung({ statement, timestamp }: LoggedChange, maxAgeSeconds: number | undefined): boolean {
  const observed = statement.provenance?.timestamp;
  if (maxAgeSeconds === undefined || typeof observed !== 'string') return true;
  return Date.parse(timestamp) - utcTime(observed) <= maxAgeSeconds * 1_000;
}
