import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** So much is sent on in the middle of a turn, so that the other side can begin. */
const mostGathered = 65_536;

/**
 * Sends what is written to connections with this port in one turn of the event loop together. The driver writes a
 * message in pieces of 1,400 bytes and has no setting for it; each would be a system call here and a packet to take up
 * there. Connections over TLS are left alone.
 * @returns what ends it for connections that are opened later
 */
export function gatherWrites(port: number): () => void {
  const opened = channel('net.client.socket');
  const onOpened = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.once('connect', () => {
      if (socket.remotePort === port) gather(socket);
    });
  };
  opened.subscribe(onOpened);
  return () => void opened.unsubscribe(onOpened);
}

function gather(socket: Socket): void {
  const write = socket.write as (...given: unknown[]) => boolean;
  socket.write = (...given: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    const mayGoOn = write.apply(socket, given);
    if (socket.writableLength >= mostGathered) {
      socket.uncork();
      socket.cork();
    }
    return mayGoOn;
  };
}
