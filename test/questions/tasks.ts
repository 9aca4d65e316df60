import { post } from '../bench/client.ts';

/** The task of a question, as far as it is looked at. */
export interface AskedTask {
  status: { state: string; message?: { parts: { text?: string; data?: { choices?: object[] } }[] } };
  artifacts?: { parts: { data: { madeBy?: 'model'; table?: object } }[] }[];
}

let asked = 0;

/** Sends a message of one part. @param said a text, or data for a skill */
export async function taskOf(url: string, said: string | object): Promise<AskedTask> {
  asked += 1;
  const part = typeof said === 'string' ? { text: said } : { data: said };
  const message = { messageId: `question-${asked}`, role: 'ROLE_USER', parts: [part] };
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  const answer = (await post(`${url}/a2a`, body, { 'a2a-version': '1.0' })) as { result?: { task: AskedTask } };
  if (!answer.result) throw new Error(`ask answers ${JSON.stringify(answer)}`);
  return answer.result.task;
}

export const saidOf = ({ status }: AskedTask) => status.message?.parts[0]?.text?.replaceAll('\n', ' ') ?? status.state;
