import { expect, test } from '@jest/globals';
import { eventFrame } from '../../../src/a2a/jsonrpc/eventFrame.ts';

const counted = () => {
  let times = 0;
  const result = {
    toJSON: () => {
      times += 1;
      return { name: 'Zürich' };
    },
  };
  return { event: { id: '7', result }, times: () => times };
};

test('an event that many get is serialised once, and under one id it is the very same bytes', () => {
  const { event, times } = counted();
  const bytes = eventFrame(event, 1);
  expect(bytes.toString()).toBe('id: 7\ndata: {"jsonrpc":"2.0","id":1,"result":{"name":"Zürich"}}\n\n');
  expect(eventFrame(event, 1)).toBe(bytes);
  expect(times()).toBe(1);
});

test('each gets it under the id of its own request, whatever the one before it had', () => {
  const { event, times } = counted();
  const ids = [1, '1', null, 'a "b"', 1];
  const told = ids.map((id) => JSON.parse(eventFrame(event, id).toString().split('data: ')[1] ?? '').id);
  expect(told).toEqual(ids);
  expect(times()).toBe(1);
});

test('an event without a cursor has no id line', () => {
  expect(eventFrame({ result: {} }, 1).toString()).toBe('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
});
