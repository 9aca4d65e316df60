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
  // Only what is new is looked at: an event of many small chunks would be read anew with each.
  let text = '';
  let end = '';
  for await (const chunk of chunks) {
    const [whole, rest, breaks] = split(end + decoder.decode(chunk, { stream: true }));
    const events = whole === undefined ? '' : text + whole;
    text = whole === undefined ? text + rest : rest;
    end = breaks;
    if (text.length > longest) throw brokenAnswer(`an event is longer than ${longest} bytes`);
    for (const block of events.split('\n\n')) {
      const event = eventOf(block);
      if (event !== undefined) yield encoder.encode(event);
    }
  }
}

/**
 * What is complete, where something is, with line feeds alone; what isn't; and a break at its end, which may be half of
 * a line's or of an event's.
 */
function split(text: string): [string | undefined, string, string] {
  const half = text.endsWith('\r') ? '\r' : '';
  const lines = text.slice(0, text.length - half.length).replace(/\r\n?/g, '\n');
  const end = lines.lastIndexOf('\n\n');
  const whole = end < 0 ? undefined : lines.slice(0, end);
  const rest = end < 0 ? lines : lines.slice(end + 2);
  return rest.endsWith('\n') ? [whole, rest.slice(0, -1), `\n${half}`] : [whole, rest, half];
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
