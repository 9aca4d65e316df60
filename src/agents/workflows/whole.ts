import { Part } from '@a2a-js/sdk';
import { refuse } from '../../base/reasons.ts';
import type { InnerMessage } from '../../tasks/running/innerTasks.ts';
import type { NewRun, RunRow } from './nodes/workflows.ts';

/**
 * What all tasks of a workflow were asked with and have made, as far as it stands in the graph. Each may be within its
 * own bounds and all of them together far too much: one result can be what a thousand steps are asked with.
 */
export class Whole {
  /** Characters, by task. */
  private readonly lengths = new Map<string, number>();

  /** @param limit characters */
  constructor(private readonly limit: number) {}

  heard({ taskId, length }: Pick<RunRow, 'taskId' | 'length'>): void {
    this.lengths.set(taskId, length);
  }

  /** @throws ConcordError `workflow-size` where there is no room for further tasks */
  requireRoom(further: readonly Pick<NewRun, 'length'>[]): void {
    const { limit } = this;
    const lengths = [...this.lengths.values(), ...further.map(({ length }) => length)];
    if (lengths.reduce((sum, length) => sum + length, 0) <= limit) return;
    const message = `What the steps were asked with and have made is longer than ${limit} characters; ask for less`;
    throw refuse('workflow-size', message, { limit });
  }
}

/** Characters of what a task is begun with. */
export const lengthOf = ({ message }: InnerMessage): number =>
  JSON.stringify(message.parts.map((part) => Part.toJSON(part))).length;
