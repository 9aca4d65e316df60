import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server of this machine that can be cut and mended. */
export interface Relay {
  port: number;
  /** Ends every connection, and refuses others. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function relayTo(port: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const open = async (at: number): Promise<Server> => {
    const opened = createServer((from) => {
      const to = connect(port, '127.0.0.1');
      for (const each of [from, to]) keep(each);
      from.pipe(to).pipe(from);
      from.once('close', () => to.destroy());
      to.once('close', () => from.destroy());
    }).listen(at, '127.0.0.1');
    await once(opened, 'listening');
    return opened;
  };
  let server: Server | undefined = await open(0);
  const own = (server.address() as AddressInfo).port;
  return {
    port: own,
    async cut() {
      const closed = server && once(server, 'close');
      server?.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      server = undefined;
    },
    async mend() {
      server = await open(own);
    },
  };
}
