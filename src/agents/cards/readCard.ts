import type { z } from 'zod';
import type { ConcordError } from '../../base/errors.ts';
import { refuse } from '../../base/reasons.ts';
import { pathText } from '../../calls/params.ts';
import type { AgentProfile } from '../../wire/agents.ts';
import { a2aCard, a2aLegacyCard, firstA2aCard } from './a2a.ts';
import { agentOsCard } from './agentOs.ts';
import { cardFault, longestCard } from './cardLimits.ts';
import { oneCard } from './one.ts';

/** A card, as it is kept. */
export interface Card {
  /** JSON. */
  text: string;
  profile: AgentProfile;
}

/** Faults that an answer names. */
const namedFaults = 10;

/**
 * Reads a card of any protocol that is known here: A2A 1.0 and 0.3, the first A2A, AgentOS, ONE.
 * @param card JSON that was parsed
 * @param base the agent's address, behind which AgentOS has its endpoints; absent where only the card was given
 * @throws ConcordError `invalid-card`, `card-too-large`
 */
export function readCard(card: object, base?: string): Card {
  const fault = cardFault(card);
  if (fault) throw invalidCard(`The card ${fault}`);
  const text = JSON.stringify(card);
  const bytes = Buffer.byteLength(text);
  if (bytes > longestCard) throw cardTooLarge();
  const parsed = shapeOf(card, base).safeParse(card);
  if (parsed.success) return { text, profile: parsed.data };
  const issues = parsed.error.issues
    .slice(0, namedFaults)
    .map(({ path, message }) => ({ path: pathText(['card', ...path]), message }));
  const [first] = issues;
  throw invalidCard(`The card is not valid: ${first?.path} ${first?.message}`, { issues });
}

/** Of which protocol a card is follows from what only its cards have. */
function shapeOf(card: object, base: string | undefined): z.ZodType<AgentProfile> {
  if ('supportedInterfaces' in card) return a2aCard;
  if ('endpoints' in card) return agentOsCard(base);
  if ('agentId' in card && 'endpoint' in card) return oneCard;
  if (!('url' in card)) {
    throw invalidCard(
      'The card is of no protocol that is known here: it has no supportedInterfaces, endpoints, url or agentId',
    );
  }
  return 'protocolVersion' in card ? a2aLegacyCard : firstA2aCard;
}

export function invalidCard(message: string, details: object = {}): ConcordError {
  return refuse('invalid-card', message, { ...details });
}

export function cardTooLarge(): ConcordError {
  return refuse('card-too-large', `The card is longer than ${longestCard} bytes`, { limit: longestCard });
}
