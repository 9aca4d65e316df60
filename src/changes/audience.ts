import { getOrInsert } from '../base/getOrInsert.ts';
import { isErased, type LogEntry, type LoggedChange } from '../graph/updates/changeLog.ts';
import { type ChangeFilter, mayPass } from './filter.ts';

/** Gets the changes that pass its filter, or may pass it once the classes of their entities are known, in sequence. */
export type Listener = (changes: LoggedChange[]) => void;

/** Those who listen by equal filters, which is asked once for all of them. */
interface Group {
  filter: ChangeFilter;
  listeners: Set<Listener>;
}

/**
 * Those who listen to the changes of a tenant. A change finds them by its subject and its predicate: whoever asks for
 * other ones costs it nothing.
 */
export class Audience {
  private readonly groups = new Map<string, Group>();
  private readonly bySubject = new Map<string, Set<Group>>();
  private readonly byPredicate = new Map<string, Set<Group>>();
  /** Who asks for neither. */
  private readonly others = new Set<Group>();

  get isEmpty(): boolean {
    return this.groups.size === 0;
  }

  /** @returns what takes the listener off again; a second time it does nothing */
  add(filter: ChangeFilter, listener: Listener): () => void {
    const group = this.groupOf(filter);
    group.listeners.add(listener);
    return () => {
      if (group.listeners.delete(listener) && group.listeners.size === 0) this.forget(group);
    };
  }

  /**
   * Hands changes that follow one another to those who asked for them.
   * @returns how many were told something
   */
  tell(changes: readonly LogEntry[]): number {
    const heard = new Map<Group, LoggedChange[]>();
    for (const change of changes) {
      if (isErased(change)) continue;
      for (const group of this.groupsOf(change)) {
        getOrInsert(heard, group, () => []).push(change);
      }
    }
    let told = 0;
    for (const [{ listeners }, list] of heard) {
      told += listeners.size;
      for (const listener of listeners) listener(list);
    }
    return told;
  }

  private *groupsOf(change: LoggedChange): Iterable<Group> {
    const { subject, predicate } = change.statement;
    const found = [this.bySubject.get(subject.id), this.byPredicate.get(predicate.id), this.others];
    for (const groups of found) {
      for (const group of groups ?? []) {
        if (mayPass(group.filter, change)) yield group;
      }
    }
  }

  private groupOf(filter: ChangeFilter): Group {
    const known = this.groups.get(filter.key);
    if (known) return known;
    const group: Group = { filter, listeners: new Set() };
    this.groups.set(filter.key, group);
    const places = this.placesOf(filter);
    if (!places) this.others.add(group);
    for (const [index, value] of places ?? []) getOrInsert(index, value, () => new Set()).add(group);
    return group;
  }

  private forget(group: Group): void {
    this.groups.delete(group.filter.key);
    this.others.delete(group);
    for (const [index, value] of this.placesOf(group.filter) ?? []) {
      const groups = index.get(value);
      groups?.delete(group);
      if (groups?.size === 0) index.delete(value);
    }
  }

  /** The one index that finds a filter, for subjects are rarer than predicates. */
  private placesOf({ subjects, predicates }: ChangeFilter): [Map<string, Set<Group>>, string][] | undefined {
    if (subjects) return subjects.map((value) => [this.bySubject, value]);
    return predicates?.map((value) => [this.byPredicate, value]);
  }
}
