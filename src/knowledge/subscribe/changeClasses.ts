import { LRUCache } from 'lru-cache';
import { getOrInsert } from '../../base/getOrInsert.ts';
import type { ChangeFeed } from '../../changes/feed.ts';
import { idsOf } from '../../graph/statements/statement.ts';
import type { Classes } from '../../graph/statements/statementReader.ts';
import { isErased, type LoggedChange } from '../../graph/updates/changeLog.ts';
import type { ClassesOf } from '../closed/closedStatements.ts';

interface Page {
  /** The sequence number of its last change. */
  last: number;
  classes: Classes;
}

/** Gives the classes of the entities of a change; to be asked in sequence. */
export type ClassesOfChange = (change: LoggedChange) => Promise<Classes>;

/**
 * The classes of the entities that changes speak of. A change says one only where its author did, so the graph is
 * asked: for a page of the log at once, and once for all subscribers who come to it within two seconds.
 */
export class ChangeClasses {
  private readonly pages = new LRUCache<string, Promise<Page>>({ max: 1_000, ttl: 2_000 });

  constructor(
    private readonly feed: Pick<ChangeFeed, 'read'>,
    private readonly classesOf: ClassesOf,
  ) {}

  /** For one subscriber of a tenant. */
  reader(tenant: string): ClassesOfChange {
    let page: Page = { last: 0, classes: new Map() };
    return async (change) => {
      if (change.sequence > page.last) page = await this.pageFrom(tenant, change);
      return page.classes;
    };
  }

  private pageFrom(tenant: string, change: LoggedChange): Promise<Page> {
    const key = JSON.stringify([tenant, change.sequence]);
    return getOrInsert(this.pages, key, () => {
      const reading = this.read(tenant, change);
      reading.catch(() => this.pages.delete(key));
      return reading;
    });
  }

  private async read(tenant: string, change: LoggedChange): Promise<Page> {
    const page = [change, ...(await this.feed.read(tenant, change.sequence))];
    const kept = page.filter((each): each is LoggedChange => !isErased(each));
    const statements = kept.flatMap(({ statement, previous = [] }) => [statement, ...previous]);
    const classes = await this.classesOf(tenant, idsOf(statements));
    return { last: page.at(-1)?.sequence ?? change.sequence, classes };
  }
}
