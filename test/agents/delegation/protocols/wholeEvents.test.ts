import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { wholeEvents } from '../../../../src/agents/delegation/protocols/wholeEvents.ts';

async function* chunksOf(text: string, cuts: number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut > from) yield bytes.subarray(from, cut);
    from = Math.max(from, cut);
  }
}

async function eventsOf(text: string, cuts: number[] = [], longest = 1_000): Promise<string[]> {
  const events: string[] = [];
  for await (const event of wholeEvents(chunksOf(text, cuts), longest)) events.push(new TextDecoder().decode(event));
  return events;
}

test('the events of a stream are the same however it is cut, and whatever ends its lines', async () => {
  const written = ': a comment\n\ndata: {"one":"ä"}\n\nevent: told\ndata: {"two":\ndata: 2}\n\ndata: {"half"';
  const read = ['data: {"one":"ä"}\n\n', 'event: told\ndata: {"two": 2}\n\n'];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), fc.constantFrom('\n', '\r\n', '\r'), async (cuts, end) => {
      expect(await eventsOf(written.replaceAll('\n', end), cuts)).toEqual(read);
    }),
  );
});

test.each([
  ['is no JSON', 'data: hello\n\n'],
  ['is nested too deeply', `data: ${'['.repeat(200)}${']'.repeat(200)}\n\n`],
  ['has no end', `data: "${'x'.repeat(2_000)}`],
])('an event that %s is an answer that makes no sense', async (_, text) => {
  await expect(eventsOf(text)).rejects.toMatchObject({ data: { reason: 'agent-answer' } });
});

test('an event that comes in small chunks is looked at once, and not anew with each', async () => {
  let looked = 0;
  const { replace } = String.prototype;
  const spy = jest.spyOn(String.prototype, 'replace').mockImplementation(function (this: string, ...given) {
    looked += this.length;
    return replace.apply(this, given as unknown as Parameters<typeof replace>);
  });
  const text = `data: "${'x'.repeat(2_000)}"\n\n`;
  const cuts = Array.from(text, (_, at) => at);
  const events = await eventsOf(text, cuts, 5_000).finally(() => spy.mockRestore());
  expect(events).toEqual([text]);
  expect(looked).toBeLessThan(2 * text.length);
});
