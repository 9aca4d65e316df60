import { ConcordError, ErrorCode } from '../../base/errors.ts';
import { answerTooLarge } from '../../base/limitExceeded.ts';
import { refuse } from '../../base/reasons.ts';
import type { Call, Methods } from '../../calls/call.ts';
import type { Calls } from '../protocol/calls.ts';
import { invalidRequest } from '../protocol/protocolError.ts';
import { errorText, resultText } from './answers.ts';
import { type Body, isMalformed, type Malformed, paramsOf, type Request } from './jsonrpc.ts';

/**
 * Answers a body, as JSON text; undefined when it holds notifications only. It does not throw.
 * @param onError told of each call that failed
 */
export type AnswerBody = (
  body: Body,
  call: Call,
  onError: (error: ConcordError) => void,
) => Promise<string | undefined>;

export interface AnswererOptions {
  /**
   * Tells also what is wrong with a notification, which the conformance kit of A2A 0.3 wants and JSON-RPC 2.0 doesn't.
   */
  answersFaultyNotifications: boolean;
  /** How a response with an error is written, where that isn't A2A's way. */
  writeError?: typeof errorText;
}

/** Bytes of the answers of a batch, after which no further call of it is made: all of them are in memory at once. */
const mostBatchBytes = 8 * 1024 * 1024;

/** Makes the calls of a body that are answered once each; a batch is answered in its order. */
export function answerer(methods: Methods, calls: Calls, options: AnswererOptions): AnswerBody {
  const { answersFaultyNotifications, writeError = errorText } = options;

  function methodOf({ method }: Request) {
    const found = methods.unary.get(method);
    if (found) return found;
    if (methods.streaming.has(method)) {
      throw invalidRequest(`${method} answers with a stream; send it outside of a batch`);
    }
    throw new ConcordError(ErrorCode.MethodNotFound, 'There is no such method; the agent card lists what there is');
  }

  async function answer(
    entry: Request | Malformed,
    call: Call,
    answered: number,
    onError: (error: ConcordError) => void,
  ): Promise<string | undefined> {
    if (isMalformed(entry)) {
      calls.refused(entry.error);
      return writeError(entry.id, entry.error);
    }
    const id = entry.id ?? null;
    const outcome = await calls.spanned(entry, (span) =>
      calls.made(entry, call, span, async (traced) => {
        const method = methodOf(entry);
        if (answered > mostBatchBytes) throw batchTooLarge();
        const text = resultText(id, await method(paramsOf(entry), traced));
        return withinLimit(text, method.maxAnswerBytes, answered);
      }),
    );
    if (!outcome.ok) onError(outcome.error);
    if (entry.id === undefined && (outcome.ok || !answersFaultyNotifications)) return undefined;
    return outcome.ok ? outcome.value : writeError(id, outcome.error);
  }

  return async ({ batch, entries }, call, onError) => {
    const answers: string[] = [];
    let length = 0;
    // One after another, so that a request of a batch may read what one before it wrote.
    for (const entry of entries) {
      const text = await answer(entry, call, length, onError);
      if (text === undefined) continue;
      answers.push(text);
      length += Buffer.byteLength(text);
    }
    if (answers.length === 0) return undefined;
    return batch ? `[${answers.join(',')}]` : answers[0];
  };
}

function batchTooLarge(): ConcordError {
  const message = `The answers before it in the batch are longer than ${mostBatchBytes} bytes: it was not made. Send it again`;
  return refuse('batch-too-large', message, { limit: mostBatchBytes });
}

/**
 * @param before bytes of the answers before it in a batch, which are held in memory until the last
 * @throws LimitExceeded `answer-too-large`
 */
function withinLimit(text: string, limit: number | undefined, before: number): string {
  if (limit === undefined) return text;
  const found = before + Buffer.byteLength(text);
  if (found > limit) throw answerTooLarge(limit, found);
  return text;
}
