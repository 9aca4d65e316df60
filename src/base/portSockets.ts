import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** The connections that a port of this process has, those too that are no further than their handshake. */
export interface PortSockets {
  /** Cuts all, and counts no more. */
  destroy(): void;
  /** Counts no more. */
  forget(): void;
}

/**
 * Counts from now on. A server of Node doesn't cut those whose handshake isn't over; grpc-js has no way to the connections
 * below its own, and waits for them when it is closed.
 */
export function socketsOf(port: number): PortSockets {
  const open = new Set<Socket>();
  const accepted = channel('net.server.socket');
  const onAccepted = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort !== port) return;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  accepted.subscribe(onAccepted);
  const forget = () => void accepted.unsubscribe(onAccepted);
  return {
    forget,
    destroy() {
      forget();
      for (const socket of open) socket.destroy();
    },
  };
}
