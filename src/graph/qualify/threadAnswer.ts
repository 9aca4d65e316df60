import { ConcordError, type ErrorCode, type ErrorData } from '../../base/errors.ts';
import { UnconfinedCypher } from './audit/audit.ts';
import { type Position, RefusedCypher } from './grammar/refusedCypher.ts';
import type { QualifiedText } from './qualifiedText.ts';

/** What the thread answers: errors lose their class on the way between threads. */
export type Answer =
  | { is: 'text'; text: QualifiedText }
  | { is: 'refused'; construct: string; position: Position; advice?: string }
  | { is: 'fault'; code: ErrorCode; message: string; data: ErrorData }
  | { is: 'unconfined'; rule: string }
  | { is: 'failed'; error: Error };

/** @param work gives the text */
export function answerOf(work: () => QualifiedText): Answer {
  try {
    return { is: 'text', text: work() };
  } catch (error) {
    if (error instanceof RefusedCypher) {
      const { construct, position, advice } = error;
      return { is: 'refused', construct, position, ...(advice !== undefined && { advice }) };
    }
    if (error instanceof ConcordError) {
      const { code, message, data } = error;
      return { is: 'fault', code, message, data };
    }
    if (error instanceof UnconfinedCypher) return { is: 'unconfined', rule: error.rule };
    return { is: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** @throws what the thread's work has thrown */
export function textOf(answer: Answer): QualifiedText {
  switch (answer.is) {
    case 'text':
      return answer.text;
    case 'refused':
      throw new RefusedCypher(answer.construct, answer.position, answer.advice);
    case 'fault':
      throw new ConcordError(answer.code, answer.message, answer.data);
    case 'unconfined':
      throw new UnconfinedCypher(answer.rule);
    case 'failed':
      throw answer.error;
  }
}
