import type { ChangeFeed } from '../../changes/feed.ts';
import { idsOf, type Statement } from '../../graph/statements/statement.ts';
import { isErased, type LoggedChange } from '../../graph/updates/changeLog.ts';
import { type Principal, seesGraph } from '../../security/principal.ts';
import { type Classes, type ClassesOf, whyClosed } from '../closed/closedStatements.ts';
import type { ClosedTo } from '../conditions.ts';

export interface VisibilityParts {
  feed: ChangeFeed;
  closedTo: ClosedTo;
  classesOf: ClassesOf;
}

/**
 * What a principal sees of a tenant's changes, by the policy as it is at each of them: not those of a graph that it
 * doesn't see, of a closed predicate, or of an entity of a closed class. To be asked in sequence.
 * @returns the change as the principal sees it; undefined where it sees nothing
 */
export function visibleChanges(
  { feed, closedTo, classesOf }: VisibilityParts,
  principal: Principal,
): (change: LoggedChange) => Promise<LoggedChange | undefined> {
  const { tenant } = principal;
  // A change says an entity's class only where its author did, so the graph is asked: for a page of the log at once.
  let classes: Classes = new Map();
  let knownTo = 0;
  const know = async (change: LoggedChange) => {
    if (change.sequence <= knownTo) return;
    const page = [change, ...(await feed.read(tenant, change.sequence))];
    const kept = page.filter((each): each is LoggedChange => !isErased(each));
    classes = await classesOf(tenant, idsOf(kept.flatMap(({ statement, previous = [] }) => [statement, ...previous])));
    knownTo = page.at(-1)?.sequence ?? change.sequence;
  };
  return async (change) => {
    if (!seesGraph(principal, change.statement.graph)) return undefined;
    const closed = closedTo(principal);
    if (closed === undefined) return change;
    if (closed.classes.size > 0) await know(change);
    // What is in the log is in the graph; if it were not, nobody could say what it is.
    const isOpen = (statement: Statement) =>
      whyClosed(statement, closed, classes) === undefined &&
      (closed.classes.size === 0 || idsOf([statement]).every((id) => classes.has(id)));
    if (!isOpen(change.statement)) return undefined;
    return change.previous ? { ...change, previous: change.previous.filter(isOpen) } : change;
  };
}
