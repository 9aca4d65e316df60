import { expect, test } from '@jest/globals';
import { runRequest } from '../../src/agui/runRequest.ts';

const input = (more: object = {}) => ({
  ...{ threadId: 't', runId: 'r', tools: [], context: [], state: {}, forwardedProps: {} },
  messages: [{ id: 'm', role: 'user', content: 'hello' }],
  ...more,
});
const answer = (interruptId: string) => ({ interruptId, status: 'resolved', payload: 'x' });
const longest = 'x'.repeat(256);

test('ids may have 256 characters, of any but control characters', () => {
  const asked = input({ threadId: longest, runId: longest, forwardedProps: { agent: longest } });
  expect(runRequest(asked)).toMatchObject({ threadId: longest, runId: longest, agent: longest });
  expect(runRequest(input({ resume: [answer(longest)] })).resume).toMatchObject({ interruptId: longest });
});

test.each<[string, string, object]>([
  ['a thread', 'threadId', { threadId: `${longest}x` }],
  ['a run', 'runId', { runId: 'a\u2028b' }],
  ['a message', 'messages', { messages: [{ id: '', role: 'user', content: 'hello' }] }],
  ['an interrupt', 'resume', { resume: [answer(`${longest}x`)] }],
  ['an agent', 'forwardedProps', { forwardedProps: { agent: `${longest}x` } }],
  ['an agent that is no text', 'forwardedProps', { forwardedProps: { agent: 7 } }],
  ['two interrupts at once', 'resume', { resume: [answer('a'), answer('b')] }],
  ['nothing that a person has said', 'messages', { messages: [] }],
  ['an empty text', 'messages', { messages: [{ id: 'm', role: 'user', content: '' }] }],
])('%s is refused by its place where it is odd', (_what, place, more) => {
  const refused = { data: { reason: 'invalid-params', issues: [{ path: expect.stringContaining(place) }] } };
  let error: unknown;
  try {
    runRequest(input(more));
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject(refused);
});

test('the last thing that a person has said counts, with its texts and what else it has', () => {
  const content = [
    { type: 'text', text: 'one' },
    { type: 'image', source: { type: 'url', value: 'https://a.example/x.png', mimeType: 'image/png' } },
    { type: 'text', text: 'two' },
  ];
  const messages = [
    { id: 'a', role: 'user', content: 'before' },
    { id: 'b', role: 'user', content },
    { id: 'c', role: 'assistant', content: 'after' },
  ];
  expect(runRequest(input({ messages })).said).toEqual({
    id: 'b',
    text: 'one\ntwo',
    parts: [{ text: 'one' }, { url: 'https://a.example/x.png', mediaType: 'image/png' }, { text: 'two' }],
  });
  expect(runRequest(input({ messages, resume: [answer('t')] })).said).toBeUndefined();
});
