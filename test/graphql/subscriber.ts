import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

export interface GraphqlError {
  message: string;
  extensions: Record<string, unknown>;
}

/** What a subscription has got so far. */
export interface Subscription<Data> {
  data: Data[];
  errors: GraphqlError[] | undefined;
  completed: boolean;
  stop(): void;
}

export interface Socket {
  client: Client;
  /** The code and reason that the service closed the socket with. */
  closed: { code: number; reason: string } | undefined;
  subscribe<Data = { statementChanged: Record<string, unknown> }>(
    query: string,
    rest?: { variables?: Record<string, unknown>; operationName?: string },
  ): Subscription<Data>;
  close(): void;
}

/** Opens sockets as any user of graphql-ws would. */
export function openSocket(
  url: string,
  connectionParams: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Socket {
  class WithHeaders extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { headers });
    }
  }
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WithHeaders,
    connectionParams,
    retryAttempts: 0,
    // The socket stays open without subscriptions.
    lazy: false,
    onNonLazyError: () => {},
    on: {
      closed: (event) => {
        socket.closed = event as { code: number; reason: string };
      },
    },
  });
  const socket: Socket = {
    client,
    closed: undefined,
    subscribe<Data>(query: string, rest: object = {}) {
      const subscription: Subscription<Data> = {
        data: [],
        errors: undefined,
        completed: false,
        stop: client.subscribe<Data>(
          { query, ...rest },
          {
            next: ({ data, errors }) => {
              if (data) subscription.data.push(data);
              if (errors) subscription.errors = errors as never;
            },
            error: (error) => {
              if (Array.isArray(error)) subscription.errors = error;
            },
            complete: () => {
              subscription.completed = true;
            },
          },
        ),
      };
      return subscription;
    },
    close: () => void client.dispose(),
  };
  return socket;
}

/** Waits until the condition holds; throws after `patienceMs`. */
export async function until(condition: () => boolean | Promise<boolean>, patienceMs = 60_000): Promise<void> {
  for (const end = Date.now() + patienceMs; !(await condition()); ) {
    if (Date.now() > end) throw new Error(`Not within ${patienceMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
