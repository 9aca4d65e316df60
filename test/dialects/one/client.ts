import { randomUUID } from 'node:crypto';

/** A message of ONE, as a test reads it. */
export interface Message {
  version: string;
  messageId: string;
  correlationId: string;
  timestamp: number;
  groupId: string;
  from: { agentId: string; endpoint: string };
  to: { agentId: string; endpoint: string };
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever there is
  message: { type: string; content: any; mimeType: string };
  metadata?: Record<string, unknown>;
}

/** What an agent sends; each time under another id. */
export function messageOf(type: string, content: unknown, more: object = {}) {
  return {
    version: '1.0',
    messageId: randomUUID() as string,
    timestamp: Date.now(),
    from: { agentId: 'anna', endpoint: 'https://anna.example.org/messages' },
    to: { agentId: 'concord', endpoint: 'https://concord.example.org/a2a/messages' },
    message: { type, content, mimeType: 'application/json' },
    ...more,
  };
}

export interface Reply {
  status: number;
  headers: Headers;
  body: Message;
}

/** Posts a message, or any body. */
export async function post(
  url: string,
  message: object | string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const response = await fetch(`${url}/a2a/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Message };
}
