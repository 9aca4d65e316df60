import { type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import type { SigningKey } from '../../security/signingKey.ts';

/**
 * Signs a card; A2A 1.0, section 8.4.
 * @param jku where the public key is found
 */
export function signedCard(card: AgentCard, { key, alg, kid }: SigningKey, jku: string): Promise<AgentCard> {
  return generateAgentCardSignature(key, { alg, kid, typ: 'JOSE', jku })(card);
}
