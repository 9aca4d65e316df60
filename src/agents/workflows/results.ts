import { Message, Part } from '@a2a-js/sdk';
import type { MadeRow, Workflows } from './nodes/workflows.ts';
import type { Course } from './plan/course.ts';
import { resultsTooLong } from './plan/tooLong.ts';

export interface ResultsParts {
  workflows: Pick<Workflows, 'made'>;
  tenant: string;
  course: Pick<Course, 'tasksOf' | 'standing'>;
  /** Characters of what the steps have made that one other needs. */
  longest: number;
}

/** Results of steps: they are read where they are needed, and of the last ones some are kept. */
export class StepResults {
  private readonly kept = new Map<string, { value: unknown; length: number }>();
  private length = 0;

  constructor(private readonly parts: ResultsParts) {}

  /**
   * The results of these steps, of those that have completed.
   * @throws ConcordError `workflow-results` where they are too long together
   */
  async of(steps: readonly string[]): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    let length = 0;
    for (const step of steps) {
      const standing = this.parts.course.standing(step);
      if (standing.phase !== 'completed') continue;
      const result = this.kept.get(step) ?? (await this.read(step, standing.items !== undefined));
      length += result.length;
      if (length > this.parts.longest) throw resultsTooLong(this.parts.longest);
      found.set(step, result.value);
    }
    return found;
  }

  private async read(step: string, isList: boolean): Promise<{ value: unknown; length: number }> {
    const { workflows, tenant, course, longest } = this.parts;
    const ids = course.tasksOf(step).map(({ taskId }) => taskId);
    const rows = ids.length === 0 ? [] : await workflows.made(tenant, ids, longest);
    const length = rows.reduce((sum, row) => sum + row.length, 0);
    if (length > longest) throw resultsTooLong(longest);
    const byId = new Map(rows.map((row) => [row.taskId, row]));
    const values = ids.map((id) => {
      const row = byId.get(id);
      return row ? resultOf(row) : null;
    });
    const result = { value: isList ? values : values[0], length };
    this.keep(step, result);
    return result;
  }

  /** Of what is kept the oldest goes first. */
  private keep(step: string, result: { value: unknown; length: number }): void {
    this.kept.set(step, result);
    this.length += result.length;
    for (const [oldest, { length }] of this.kept) {
      if (this.length <= this.parts.longest) return;
      this.kept.delete(oldest);
      this.length -= length;
    }
  }
}

/**
 * The result of a task: the last data part of its artifacts, which of a proposal that was reviewed is its verdict;
 * where there is none their texts, a line each; where there are no artifacts what its status says.
 */
export function resultOf({ artifacts, said }: Pick<MadeRow, 'artifacts' | 'said'>): unknown {
  const parts = artifacts.flatMap((text) => (JSON.parse(text) as object[]).map((each) => Part.fromJSON(each)));
  const data = parts.findLast(({ content }) => content?.$case === 'data')?.content;
  if (data?.$case === 'data') return data.value;
  const made = textsOf(parts);
  return made.length > 0 || said === null ? made.join('\n') : saidIn(said).text;
}

/** The text and the data of a status' message. */
export function saidIn(message: string | null): { text: string; data: unknown[] } {
  if (message === null) return { text: '', data: [] };
  const { parts } = Message.fromJSON(JSON.parse(message));
  const data = parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value] : []));
  return { text: textsOf(parts).join('\n'), data };
}

const textsOf = (parts: Part[]) => parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
