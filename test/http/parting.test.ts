import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import express from 'express';
import { parting } from '../../src/http/parting.ts';
import { listening } from '../client/listening.ts';
import { gate } from '../support/gate.ts';

test('a connection is kept behind its answer, but not where the service has begun to drain by then', async () => {
  let drains = false;
  const held = gate();
  const app = express();
  app.use(parting(() => drains));
  app.get('/', (_request, response) => response.json({}));
  app.get('/slow', async (_request, response) => {
    app.emit('asked');
    await held.opened;
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end('late');
  });
  const { url, close } = await listening(createServer(app));
  const connection = async (path: string) => {
    const response = await fetch(url + path);
    await response.text();
    return [response.status, response.headers.get('connection')];
  };
  expect(await connection('/')).toEqual([200, 'keep-alive']);
  const asked = once(app, 'asked');
  const slow = connection('/slow');
  await asked;
  drains = true;
  held.open();
  expect(await slow).toEqual([200, 'close']);
  expect(await connection('/')).toEqual([200, 'close']);
  await close();
});
