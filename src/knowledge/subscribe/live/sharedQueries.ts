import type { LiveQuery } from './liveQuery.ts';

interface Shared {
  query: LiveQuery;
  started: Promise<void>;
}

/** A part in a live query that others may have too. */
export interface Joined extends Shared {
  leave(): void;
}

/** The live queries that are followed: one for all who ask the same, which ends with the last of them. */
export class SharedQueries {
  private readonly byKey = new Map<string, Shared>();

  /** @param notify told when there is another answer, or a failure */
  join(key: string, make: () => LiveQuery, notify: () => void): Joined {
    const { query, started } = this.shared(key, make);
    const unfollow = query.follow(notify);
    return {
      query,
      started,
      leave: () => {
        unfollow();
        if (query.isFollowed) return;
        query.close();
        if (this.byKey.get(key)?.query === query) this.byKey.delete(key);
      },
    };
  }

  private shared(key: string, make: () => LiveQuery): Shared {
    const known = this.byKey.get(key);
    if (known && known.query.failure === undefined) return known;
    const query = make();
    const made = { query, started: query.start() };
    this.byKey.set(key, made);
    return made;
  }
}
