import { createParser } from 'eventsource-parser';
import type { TaskJson } from '../a2a/tasks.ts';

/** An event of a task's stream, as JSON of A2A 1.0. */
export interface TaskEventJson {
  task?: TaskJson;
  statusUpdate?: { taskId: string; status: TaskJson['status'] };
  artifactUpdate?: { taskId: string; artifact: { name: string; parts: { data?: unknown }[] } };
}

/** The events of a stream as they come; what refuses the stream is thrown. */
export async function* taskStream(
  url: string,
  method: string,
  params: object,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): AsyncGenerator<TaskEventJson> {
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'A2A-Version': '1.0', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal && { signal }),
  });
  if (response.headers.get('content-type') !== 'text/event-stream')
    throw new Error(`No stream: ${await response.text()}`);
  const waiting: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => waiting.push(data) });
  const text = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(text.decode(chunk, { stream: true }));
    for (const data of waiting.splice(0)) {
      const { result, error } = JSON.parse(data) as { result: TaskEventJson; error?: object };
      if (error) throw new Error(JSON.stringify(error));
      yield result;
    }
  }
}
