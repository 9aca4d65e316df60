import { controlIn } from './controls.ts';

/** Bytes of a card, UTF-8. */
export const longestCard = 256 * 1024;
/** Levels of objects and lists in a card. */
export const deepestCard = 32;
/** Values in a card. */
const mostValues = 20_000;

/**
 * What is wrong with a card before anything is read out of it; undefined where nothing is. A card is kept and told as
 * it is, so that what may do harm in it is refused and not taken out.
 */
export function cardFault(card: unknown): string | undefined {
  let level: unknown[] = [card];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > deepestCard) return `is nested deeper than ${deepestCard} levels`;
    if (values > mostValues) return `has more than ${mostValues} values`;
    const below: unknown[] = [];
    for (const each of level) {
      const fault = typeof each === 'string' ? textFault(each) : undefined;
      if (fault) return fault;
      if (typeof each !== 'object' || each === null) continue;
      for (const [key, member] of Object.entries(each)) {
        const keyFault = textFault(key);
        if (keyFault) return keyFault;
        below.push(member);
      }
    }
    level = below;
  }
  return undefined;
}

function textFault(text: string): string | undefined {
  const found = controlIn(text);
  if (found === undefined) return text.isWellFormed() ? undefined : 'has a text with half of a surrogate pair';
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `has a text with the control character U+${code}`;
}
