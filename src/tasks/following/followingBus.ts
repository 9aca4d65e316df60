import type { Task } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutionEvent, DefaultExecutionEventBus } from '@a2a-js/sdk/server';
import { eventOf } from '../nodes/events.ts';
import type { TaskKey } from '../nodes/taskNodes.ts';
import type { StoredEvent } from './followTasks.ts';
import type { Follower, TaskFeed } from './taskFeed.ts';

declare module '../../calls/callState.ts' {
  interface CallState {
    /** The bus of a call that subscribes, which the reading of the task sets going. */
    following?: FollowingBus;
  }
}

export interface FollowingBusParts extends TaskKey {
  feed: TaskFeed;
  /** Reads the task as a whole. */
  load(): Promise<Task | undefined>;
}

/**
 * The bus of a subscriber: it tells what is written of the task, by whichever replica, from the position on at which
 * the subscriber has read it.
 */
export class FollowingBus extends DefaultExecutionEventBus {
  private follower: Follower | undefined;
  private listeners = 0;

  constructor(private readonly parts: FollowingBusParts) {
    super();
  }

  /** @param position how many events the subscriber has had, in the task that it has read */
  followFrom(position: number): void {
    if (this.follower || this.listeners === 0) return;
    const { tenant, id, feed } = this.parts;
    this.follower = {
      tenant,
      id,
      position,
      event: (event) => this.tell(event),
      ended: () => this.finished(),
    };
    feed.follow(this.follower);
  }

  override on(name: 'event' | 'finished', listener: (event: AgentExecutionEvent) => void): this {
    if (name === 'event') this.listeners += 1;
    return super.on(name as 'event', listener);
  }

  override off(name: 'event' | 'finished', listener: (event: AgentExecutionEvent) => void): this {
    if (name === 'event') {
      this.listeners -= 1;
      if (this.listeners <= 0 && this.follower) this.parts.feed.leave(this.follower);
    }
    return super.off(name as 'event', listener);
  }

  private async tell({ event }: StoredEvent): Promise<void> {
    if (event !== null) {
      this.publish(eventOf(event));
      return;
    }
    const task = await this.parts.load();
    if (task) this.publish(AgentEvent.task(task));
  }
}
