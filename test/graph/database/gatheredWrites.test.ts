import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { gatherWrites } from '../../../src/graph/database/gatheredWrites.ts';

let server: Server;
let port: number;
let received: Promise<Buffer>;

beforeEach(async () => {
  server = createServer();
  received = once(server, 'connection').then(([socket]) => buffer(socket as Socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterEach(() => void server.close());

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

test('what is written in one turn waits for its end and arrives whole and in order', async () => {
  const stop = gatherWrites(port);
  const socket = await open();
  stop();
  const pieces = Array.from({ length: 100 }, (_, index) => `piece ${index};`);
  for (const piece of pieces) socket.write(piece);
  expect(socket.writableCorked).toBe(1);
  expect(socket.writableLength).toBe(pieces.join('').length);
  await Promise.resolve();
  socket.write('in the same turn');
  expect(socket.writableCorked).toBe(1);
  await new Promise(setImmediate);
  expect(socket.writableCorked).toBe(0);
  expect(socket.writableLength).toBe(0);
  socket.end('the next turn');
  expect((await received).toString()).toBe(`${pieces.join('')}in the same turnthe next turn`);
});

test('of much, a part is sent before the turn is over, and all of it arrives', async () => {
  const stop = gatherWrites(port);
  const socket = await open();
  stop();
  const all = Buffer.alloc(1_000_000, 'abcdefgh');
  let most = 0;
  for (let from = 0; from < 130_000; from += 1_000) {
    socket.write(all.subarray(from, from + 1_000));
    most = Math.max(most, socket.writableLength);
  }
  expect(most).toBeLessThanOrEqual(66_000);
  socket.end(all.subarray(130_000));
  expect(Buffer.compare(await received, all)).toBe(0);
});

test('a connection with another port, and one that is opened after the end, are left as they are', async () => {
  const stopOther = gatherWrites(port + 1);
  gatherWrites(port)();
  const socket = await open();
  stopOther();
  socket.write('at once');
  expect(socket.writableCorked).toBe(0);
  socket.end();
  expect((await received).toString()).toBe('at once');
});
