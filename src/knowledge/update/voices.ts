import { isDeepStrictEqual } from 'node:util';
import { utcTime } from '../../base/utcTime.ts';
import type { Statement } from '../../graph/statements/statement.ts';
import type { Voice } from '../../graph/statements/voice.ts';
import type { CertaintyPolicy } from '../../vocabulary/vocabulary.ts';

/*
 * The voices of a statement: what each agent says of it, who spoke last comes last (DESIGN, "Patches").
 */

/**
 * What an agent says of a statement that it states.
 * @param now milliseconds since 1970
 */
export function voiceOf(sourceAgentId: string, { certainty, provenance }: Statement, now: number): Voice {
  return { sourceAgentId, certainty, provenance, observedAt: observedAt(provenance, now) };
}

/** The voices after one has spoken; the very same list where it says nothing but what it said before. */
export function withVoice(voices: Voice[], voice: Voice): Voice[] {
  const earlier = voices.find(({ sourceAgentId }) => sourceAgentId === voice.sourceAgentId);
  if (earlier && saysTheSame(earlier, voice)) return voices;
  return [...voices.filter((each) => each !== earlier), voice];
}

/**
 * The voices after an agent has retracted the statement: those of the others, or none where it has no voice of its own
 * to take back.
 */
export function withoutVoice(voices: Voice[], agent: string): Voice[] {
  const others = voices.filter(({ sourceAgentId }) => sourceAgentId !== agent);
  return others.length < voices.length ? others : [];
}

/**
 * How certain a statement is that these voices state.
 * @returns from 0 to 1; undefined if none of them says how certain it is. Beside others, one that doesn't say counts as
 *   1.
 */
export function certaintyOf(voices: Voice[], policy: CertaintyPolicy): number | undefined {
  const newest = voices.at(-1);
  // One voice is told as it is: 1 − (1 − c) isn't quite c.
  if (voices.length < 2) return newest?.certainty;
  if (voices.every(({ certainty }) => certainty === undefined)) return undefined;
  const certainties = voices.map(({ certainty = 1 }) => certainty);
  switch (policy) {
    case 'LATEST':
      return newest?.certainty ?? 1;
    case 'MAX':
      return Math.max(...certainties);
    case 'NOISY_OR':
      return 1 - certainties.reduce((doubt, certainty) => doubt * (1 - certainty), 1);
  }
}

function saysTheSame(one: Voice, other: Voice): boolean {
  return one.certainty === other.certainty && isDeepStrictEqual(one.provenance, other.provenance);
}

function observedAt(provenance: Statement['provenance'], now: number): number {
  const stamp = provenance?.timestamp;
  return typeof stamp === 'string' ? utcTime(stamp) : now;
}
