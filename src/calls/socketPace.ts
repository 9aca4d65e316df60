import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Bytes written to a socket that may wait for its reader. */
const mostUnread = 64 * 1024 * 1024;

/**
 * How long a socket that Concord closes is waited for: after a broken frame `ws` reads no more, so that its answer is
 * never seen, and until then what it has open would count.
 */
export const farewellMs = 3_000;

/** Heartbeats in which a message must have come as a whole. */
const longestMessage = 4;

/**
 * Cuts off a socket that answers nothing for two heartbeats, goes on asking and doesn't read the answers, or doesn't end
 * a message that it has begun for four.
 * @param stream below the socket
 */
export function keepAlive(socket: WebSocket, stream: Duplex, heartbeatMs: number): void {
  const unfinished = unfinishedBytes(socket, stream);
  let unanswered = 0;
  let begun = 0;
  // A pong of what was not asked is no sign that anything is read.
  let asked = 0;
  const heartbeat = setInterval(() => {
    // Of one that isn't read from, the message may have come long ago.
    begun = unfinished() > 0 && !socket.isPaused ? begun + 1 : 0;
    if (unanswered === 2 || begun > longestMessage) return socket.terminate();
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
  socket.on('message', () => {
    begun = 0;
    cutIfFull();
  });
  socket.once('close', () => clearInterval(heartbeat));
}

/** What tells how many bytes have come that are of no whole message yet, but for those that came along with one. */
function unfinishedBytes(socket: WebSocket, stream: Duplex): () => number {
  const read = () => ('bytesRead' in stream ? Number(stream.bytesRead) : 0);
  let whole = read();
  // Pings and pongs come between the pieces of a message too.
  const control = (data: Buffer) => {
    whole += controlHeader + data.length;
  };
  socket.on('ping', control);
  socket.on('pong', control);
  socket.on('message', () => {
    whole = read();
  });
  return () => read() - whole;
}

/** Bytes of a frame of a client that holds no more than 125: RFC 6455, section 5.2. */
const controlHeader = 6;
