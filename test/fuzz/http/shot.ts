/**
 * One request, as a line of the corpus holds it. Bodies, frames and raw texts are bytes, each a character of latin1.
 */
export type Shot =
  | { kind: 'http'; method: string; path: string; headers: Record<string, string>; body?: string }
  /** Bytes of a connection. */
  | { kind: 'raw'; text: string }
  /** A WebSocket's handshake, and what follows it. */
  | { kind: 'socket'; path: string; headers: Record<string, string>; frames: string[] }
  /** A call of gRPC. */
  | { kind: 'grpc'; path: string; headers: Record<string, string>; body: string };

/** What came back. */
export interface Told {
  /** Absent where no status came: the connection was closed. */
  status?: number | undefined;
  /** Headers and trailers. */
  headers: Record<string, unknown>;
  text: string;
  ms: number;
  /** Whether nothing came within the limit, and the connection wasn't closed either. */
  hangs: boolean;
}

/** What stands in requests for secrets that are made anew for each run. */
export const marked = {
  token: '{token}',
  apiKey: '{apiKey}',
  pushToken: '{pushToken}',
  agentToken: '{agentToken}',
} as const;

export const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
