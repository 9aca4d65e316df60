import { AgentCard } from '@a2a-js/sdk';
import type { RequestHandler } from 'express';
import { isServed, type ProtocolVersion, versionAsked } from '../protocol/version.ts';
import { legacyCard } from './legacyCard.ts';

export interface CardHandlerParts {
  /** Read on each request: the address is only known once the service listens. */
  card: () => AgentCard;
  sign?(card: AgentCard): Promise<AgentCard>;
  /** The version of the card for who doesn't say which. */
  otherwise: ProtocolVersion;
}

/**
 * Answers with the agent card, of A2A 1.0 or of 0.3; `Express` answers `If-None-Match` and `If-Modified-Since` itself.
 */
export function cardHandler({ card, sign, otherwise }: CardHandlerParts): RequestHandler {
  // It changes with the settings and with Concord's version only.
  const lastModified = new Date().toUTCString();
  let signed: { card: AgentCard; of: string } | undefined;

  async function current(): Promise<AgentCard> {
    const plain = card();
    if (!sign) return plain;
    const of = JSON.stringify(plain);
    if (signed?.of !== of) signed = { card: await sign(plain), of };
    return signed.card;
  }

  return async (request, response) => {
    const header = request.get('A2A-Version');
    const asked = header === undefined ? otherwise : versionAsked(header);
    response.set('Vary', 'A2A-Version');
    if (!isServed(asked)) {
      response.status(400).json({ error: `There is no card of A2A ${asked}; ask for 1.0 or 0.3` });
      return;
    }
    const body = asked === '0.3' ? legacyCard(card()) : AgentCard.toJSON(await current());
    response.set({ 'Cache-Control': 'public, max-age=60', 'Last-Modified': lastModified }).json(body);
  };
}
