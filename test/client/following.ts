import type { ChangeEvent, Subscription } from '../../src/client/index.ts';

/** What a subscription has delivered so far. */
export interface Following {
  events: ChangeEvent[];
  /** The number in the subject of each event: `urn:s7` is 7. */
  numbers(): number[];
  /** Waits until there are so many events. */
  count(events: number): Promise<void>;
  /** Settles when the iteration has ended; throws what it threw. */
  ended: Promise<void>;
}

/** Iterates a subscription in the background. */
export function following(subscription: Subscription): Following {
  const events: ChangeEvent[] = [];
  const ended = (async () => {
    for await (const event of subscription) events.push(event);
  })();
  ended.catch(() => {});
  return {
    events,
    ended,
    numbers: () => events.map(({ statement }) => Number(/\d+$/.exec(statement.subject.id)?.[0])),
    count: (wanted) =>
      eventually(
        () => events.length >= wanted,
        () => `${events.length} of ${wanted} events`,
      ),
  };
}

/** Waits until `condition` holds, for at most fifteen seconds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  state: () => string = () => 'not so',
): Promise<void> {
  for (const end = Date.now() + 15_000; !(await condition()); ) {
    if (Date.now() > end) throw new Error(`After fifteen seconds: ${state()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
