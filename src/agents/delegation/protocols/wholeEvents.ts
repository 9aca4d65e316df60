import { isNestedTooDeeply } from '../../../calls/nesting.ts';
import { brokenAnswer } from './failures.ts';

const encoder = new TextEncoder();

/**
 * The server-sent events of a stream, each in a chunk of its own, with one line of JSON and two line feeds at its end.
 * Comments are left out, and so is an event whose end doesn't come.
 * @param longest bytes of an event
 * @throws ConcordError `agent-answer`
 */
export async function* wholeEvents(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    // A carriage return at its end may be half of a line break.
    const [whole = '', rest = ''] = split(text + decoder.decode(chunk, { stream: true }));
    text = rest;
    if (text.length > longest) throw brokenAnswer(`an event is longer than ${longest} bytes`);
    for (const block of whole.split('\n\n')) {
      const event = eventOf(block);
      if (event !== undefined) yield encoder.encode(event);
    }
  }
}

/** What is complete, with line feeds alone, and what isn't. */
function split(text: string): [string, string] {
  const plain = text.endsWith('\r') ? text.slice(0, -1) : text;
  const lines = plain.replace(/\r\n?/g, '\n');
  const end = lines.lastIndexOf('\n\n');
  const kept = text.endsWith('\r') ? '\r' : '';
  return end < 0 ? ['', lines + kept] : [lines.slice(0, end), lines.slice(end + 2) + kept];
}

function eventOf(block: string): string | undefined {
  const lines = block.split('\n');
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length).trim());
  if (data.length === 0) return undefined;
  const json = data.join(' ');
  requireJson(json);
  const name = lines.find((line) => line.startsWith('event:'));
  return `${name === undefined ? '' : `${name}\n`}data: ${json}\n\n`;
}

/** Who reads an event that is none quotes it, on the console too. */
function requireJson(json: string): void {
  if (isNestedTooDeeply(json)) throw brokenAnswer('an event is nested too deeply');
  try {
    JSON.parse(json);
  } catch (error) {
    throw brokenAnswer('an event is no JSON', error);
  }
}
