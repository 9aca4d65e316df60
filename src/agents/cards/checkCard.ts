import type { CardSignature } from '../../wire/agents.ts';
import { type Card, readCard } from './readCard.ts';
import { type KeysOf, verifyCard } from './signature.ts';

/** A card that was read, and what its signature came to. */
export interface CheckedCard extends Card {
  signature: CardSignature;
}

/**
 * Reads a card and verifies its signature. Of one that is verified only what the signature covers is read and kept:
 * what stands beside it, anybody may have written.
 * @param document the card, JSON that was parsed
 * @param base as of `readCard`
 * @throws ConcordError `invalid-card`, `card-too-large`, `card-signature`
 */
export async function checkCard(document: object, keysOf: KeysOf, base?: string): Promise<CheckedCard> {
  const card = readCard(document, base);
  const { signature, signed } = await verifyCard(document, keysOf);
  return { ...(signed ? readCard(signed) : card), signature };
}
