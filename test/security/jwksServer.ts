import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An identity provider's key set on loopback, which the tests rotate. */
export class JwksServer {
  /** How often it was asked. */
  requests = 0;
  keys: object[] = [];
  answer: (response: ServerResponse) => void = (response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: this.keys }));
  };
  private readonly server: Server = createServer((_request, response) => {
    this.requests += 1;
    this.answer(response);
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/keys`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

export function jwk(key: KeyObject, kid?: string, more: object = {}): object {
  return { ...key.export({ format: 'jwk' }), ...(kid !== undefined && { kid }), use: 'sig', ...more };
}
