import type { Message, Part } from '@a2a-js/sdk';
import { isObject } from '../../base/isObject.ts';
import type { Run } from './plan/course.ts';

/**
 * To which of the steps that wait a message goes, and what it says to it: to the one that a data part names as `step`,
 * and `item` where it is for each of a list; else to the first.
 */
export function answerOf({ parts }: Message, waiting: readonly Run[]): { to: Run | undefined; parts: Part[] } {
  const address = parts.find((part) => addressIn(part) !== undefined);
  const { step, item = 0 } = (address && addressIn(address)) ?? {};
  const to = step === undefined ? waiting[0] : waiting.find((run) => run.step === step && run.item === item);
  return { to, parts: parts.filter((part) => part !== address) };
}

function addressIn({ content }: Part): { step: string; item?: number } | undefined {
  if (content?.$case !== 'data' || !isObject(content.value)) return undefined;
  const { step, item, ...rest } = content.value;
  if (typeof step !== 'string' || Object.keys(rest).length > 0) return undefined;
  return { step, ...(typeof item === 'number' && { item }) };
}
