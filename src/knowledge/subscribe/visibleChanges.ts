import { removalOf, withPrevious } from '../../changes/view.ts';
import type { Closed } from '../../graph/names/closed.ts';
import { idsOf, type Statement } from '../../graph/statements/statement.ts';
import type { LoggedChange } from '../../graph/updates/changeLog.ts';
import { type Principal, seesGraph } from '../../security/principal.ts';
import { whyClosed } from '../closed/closedStatements.ts';
import type { ClosedTo } from '../conditions.ts';
import type { ClassesOfChange } from './changeClasses.ts';

/** A change as a principal sees it; undefined where it sees nothing. At once, where nothing has to be read for it. */
export type VisibleChange = (change: LoggedChange) => LoggedChange | undefined | Promise<LoggedChange | undefined>;

/**
 * What a principal sees of a tenant's changes, by the policy as it is at each of them: not those of a graph that it
 * doesn't see, of a closed predicate, or of an entity of a closed class. What gives place to one that it doesn't see is
 * removed, and what takes the place of such is added. To be asked in sequence.
 * @returns the change as the principal sees it; undefined where it sees nothing
 */
export function visibleChanges(closedTo: ClosedTo, classesOf: ClassesOfChange, principal: Principal): VisibleChange {
  return (change) => {
    if (!seesGraph(principal, change.statement.graph)) return undefined;
    const closed = closedTo(principal);
    if (closed === undefined) return change;
    return open(change, closed);
  };

  async function open(change: LoggedChange, closed: Closed): Promise<LoggedChange | undefined> {
    const asks = closed.classes.size > 0;
    const classes = asks ? await classesOf(change) : new Map();
    // What is in the log is in the graph; if it were not, nobody could say what it is.
    const isOpen = (statement: Statement) =>
      whyClosed(statement, closed, classes) === undefined &&
      (!asks || idsOf([statement]).every((id) => classes.has(id)));
    const previous = (change.previous ?? []).filter(isOpen);
    if (!isOpen(change.statement)) return removal(change, previous);
    // Who sees all of it gets the very same change, which is then written once for all of them.
    return previous.length === (change.previous?.length ?? 0) ? change : withPrevious(change, previous);
  }
}

/** What took the place of these is closed, and so is why. */
function removal(change: LoggedChange, gone: Statement[]): LoggedChange | undefined {
  const { justification: _, taskId: __, ...rest } = change;
  return removalOf(rest, gone);
}
