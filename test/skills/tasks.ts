import { message, type TaskJson } from '../a2a/tasks.ts';
import { call } from '../support/service.ts';

/** Sends a data part as a message of A2A 1.0, and waits for what becomes of its task. */
export async function sendTask(
  url: string,
  headers: Record<string, string>,
  data: object,
  further: object = {},
): Promise<TaskJson> {
  const { result } = await call<{ task: TaskJson }>(url, 'SendMessage', message(data, further), {
    'A2A-Version': '1.0',
    ...headers,
  });
  return result.task;
}

/** The data of a task's last artifact. */
export const artifactOf = <Data>({ artifacts = [] }: TaskJson) => artifacts.at(-1)?.parts[0]?.data as Data;

/** The error that a task has ended with. */
export const faultOf = ({ status }: TaskJson) => status.message?.parts[1]?.data?.error;
