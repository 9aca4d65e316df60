import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { WebSocket } from 'ws';
import { keepAlive } from '../../src/calls/socketPace.ts';

const heartbeatMs = 1_000;
const most = 64 * 1024 * 1024;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A socket that says nothing by itself, and tells what it was asked; in real ones a pong takes a round trip. */
function opened(stream: object = { bytesRead: 0 }) {
  const asked: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    isPaused: false,
    bufferedAmount: 0,
    ended: 0,
    ping: (data: string) => void asked.push(data),
    terminate() {
      this.ended += 1;
    },
  });
  keepAlive(socket as unknown as WebSocket, stream as Duplex, heartbeatMs);
  const beat = (times = 1) => jest.advanceTimersByTime(times * heartbeatMs);
  const pong = (data = asked.at(-1)) => socket.emit('pong', Buffer.from(data ?? ''));
  return { socket, asked, beat, pong };
}

test('a socket that answers no heartbeat is cut off with the third', () => {
  const { socket, asked, beat } = opened();
  beat(2);
  expect([asked, socket.ended]).toEqual([['1', '2'], 0]);
  beat();
  expect([asked, socket.ended]).toEqual([['1', '2'], 1]);
});

test('only an answer to the last heartbeat counts, and begins the count anew', () => {
  const { socket, asked, beat, pong } = opened();
  beat(2);
  pong();
  beat(2);
  expect([asked, socket.ended]).toEqual([['1', '2', '3', '4'], 0]);
  pong('3');
  pong('5');
  beat();
  expect(socket.ended).toBe(1);
});

test('a closed socket is asked no more', () => {
  const { socket, asked, beat } = opened();
  beat();
  socket.emit('close');
  beat(5);
  expect([asked, socket.ended, jest.getTimerCount()]).toEqual([['1'], 0, 0]);
});

test.each(['ping', 'message'])('a %s of one that does not read 64 MB of answers cuts it off', (asking) => {
  const { socket } = opened();
  socket.bufferedAmount = most;
  socket.emit(asking, Buffer.alloc(0));
  expect(socket.ended).toBe(0);
  socket.bufferedAmount = most + 1;
  socket.emit(asking, Buffer.alloc(0));
  expect(socket.ended).toBe(1);
});

/** Beats so often, each answered, which takes six bytes and those of the number. */
function answered({ beat, pong, asked }: ReturnType<typeof opened>, stream: { bytesRead: number }, times: number) {
  for (let time = 0; time < times; time++) {
    beat();
    stream.bytesRead += 6 + String(asked.at(-1)).length;
    pong();
  }
}

test('a message that is begun must end within four heartbeats', () => {
  const stream = { bytesRead: 0 };
  const one = opened(stream);
  stream.bytesRead += 1;
  answered(one, stream, 4);
  expect(one.socket.ended).toBe(0);
  answered(one, stream, 1);
  expect(one.socket.ended).toBe(1);
});

test('a message that has ended begins no count, nor do pings and pongs, nor a socket that is not read from', () => {
  const stream = { bytesRead: 100 };
  const one = opened(stream);
  answered(one, stream, 12);
  stream.bytesRead += 9;
  one.socket.emit('ping', Buffer.from('abc'));
  answered(one, stream, 12);
  expect(one.socket.ended).toBe(0);
  stream.bytesRead += 50;
  answered(one, stream, 4);
  one.socket.emit('message', Buffer.alloc(44));
  answered(one, stream, 12);
  expect(one.socket.ended).toBe(0);
  stream.bytesRead += 50;
  answered(one, stream, 4);
  one.socket.isPaused = true;
  answered(one, stream, 12);
  one.socket.isPaused = false;
  answered(one, stream, 4);
  expect(one.socket.ended).toBe(0);
  answered(one, stream, 1);
  expect(one.socket.ended).toBe(1);
});

test('a message counts from where it begins, not from one before that took long', () => {
  const stream = { bytesRead: 0 };
  const one = opened(stream);
  for (let message = 0; message < 3; message++) {
    stream.bytesRead += 10;
    answered(one, stream, 4);
    one.socket.emit('message', Buffer.alloc(4));
    // The next has begun with the end of this one.
    stream.bytesRead += 10;
    answered(one, stream, 4);
    one.socket.emit('message', Buffer.alloc(4));
  }
  expect(one.socket.ended).toBe(0);
});

test('a stream that does not count its bytes begins no message', () => {
  const one = opened({});
  answered(one, { bytesRead: 0 }, 12);
  expect(one.socket.ended).toBe(0);
});
