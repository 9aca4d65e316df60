import type { WebSocket } from 'ws';

/** Bytes written to a socket that may wait for its reader. */
const mostUnread = 64 * 1024 * 1024;

/**
 * How long a socket that Concord closes is waited for: after a broken frame `ws` reads no more, so that its answer is
 * never seen, and until then what it has open would count.
 */
export const farewellMs = 3_000;

/** Cuts off a socket that answers nothing for two heartbeats, or goes on asking and doesn't read the answers. */
export function keepAlive(socket: WebSocket, heartbeatMs: number): void {
  let unanswered = 0;
  // A pong of what was not asked is no sign that anything is read.
  let asked = 0;
  const heartbeat = setInterval(() => {
    if (unanswered === 2) return socket.terminate();
    unanswered += 1;
    asked += 1;
    socket.ping(String(asked));
  }, heartbeatMs);
  const cutIfFull = () => {
    if (socket.bufferedAmount > mostUnread) socket.terminate();
  };
  socket.on('pong', (data) => {
    if (data.toString() === String(asked)) unanswered = 0;
  });
  socket.on('ping', cutIfFull);
  socket.on('message', cutIfFull);
  socket.once('close', () => clearInterval(heartbeat));
}
