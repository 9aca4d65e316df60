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
 * doesn't see, of a closed predicate, or of an entity of a closed class. What has taken the place of nothing else than
 * such statements is an addition. To be asked in sequence.
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
    if (!isOpen(change.statement)) return undefined;
    const { previous, ...rest } = change;
    // Who sees all of it gets the very same change, which is then written once for all of them.
    if (previous === undefined || previous.every(isOpen)) return change;
    const shown = previous.filter(isOpen);
    return shown.length === 0 ? { ...rest, op: 'add' } : { ...change, previous: shown };
  }
}
