import type { StreamEvent } from '../../calls/call.ts';
import { resultText } from './answers.ts';
import type { Id } from './jsonrpc.ts';

interface Frame {
  id: Id;
  bytes: Buffer;
  /** JSON. */
  result: string;
}

const frames = new WeakMap<StreamEvent, Frame>();

/**
 * An event as server-sent events have it, in UTF-8. It is made once for all who get the same event under the same id in
 * turn; for another id the serialised result is used again. What is returned is shared: nobody may write to it.
 * @param id of the request that the stream answers
 */
export function eventFrame(event: StreamEvent, id: Id): Buffer {
  const known = frames.get(event);
  if (known?.id === id) return known.bytes;
  const result = known?.result ?? JSON.stringify(event.result);
  const eventId = event.id === undefined ? '' : `id: ${event.id}\n`;
  const bytes = Buffer.from(`${eventId}data: ${resultText(id, result)}\n\n`);
  frames.set(event, { id, bytes, result });
  return bytes;
}
