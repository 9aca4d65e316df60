import type { Answer, Asked } from './asked.ts';

/**
 * The longest that Concord may take for a document, unless the bare server takes a third of that: the machine is busy
 * then.
 */
const longestMs = 5_000;
const longestTimes = 3;

/** Reasons that refuse a document which the bare server answers. */
const ownReasons = new Set([
  'too-deep',
  'too-large',
  'too-costly',
  'timeout',
  'too-many-rows',
  'answer-too-large',
  'closed-predicate',
  'closed-class',
]);

/** Whether the bare server's answer matters: where Concord has answered in time, it doesn't. */
export function isDoubtful({ error, data, ms }: Answer): boolean {
  return error !== undefined || data === undefined || ms > longestMs;
}

/** What is wrong with Concord's answer, seen beside that of the bare server; undefined where nothing is. */
export function faultOf({ bad, text }: Asked, concord: Answer, bare: Answer): string | undefined {
  const { error, ms, status } = concord;
  if (isSlow(concord, bare)) return `slow: ${Math.round(ms)} ms`;
  if (error === undefined) return concord.data === undefined ? `no data, status ${status}` : undefined;
  const { code, reason, message, status: ofNeo4j = '' } = error;
  const told = `${code} ${reason}: ${message} ${ofNeo4j}`;
  if (code !== -32010 && code !== -32013) return `not refused by a code of Concord's: ${told}`;
  if (typeof reason !== 'string' || reason === 'execution') return `refused without a reason: ${told}`;
  // What a field asks that is skipped is checked as well.
  if (reason === 'bad-argument' && (bad.length > 0 || /@(skip|include)/.test(text))) return undefined;
  if (bare.error === undefined && !ownReasons.has(reason)) return `refused what the bare server answers: ${told}`;
  return undefined;
}

export function isSlow({ ms, error }: Answer, bare: Answer): boolean {
  return error?.reason === 'timeout' || ms > Math.max(longestMs, longestTimes * bare.ms);
}
