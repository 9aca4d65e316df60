import { fetchCard } from './card.ts';
import { ConcordClient } from './client.ts';
import type { ClientOptions } from './options.ts';
import { Rpc } from './rpc.ts';

/**
 * Fetches an agent's card and makes a client of the endpoint that it names. It holds no connection open.
 * @param url the agent's base address (`https://concord.example.org`), or that of its card
 * @throws AgentCardError, TransportError, the reason of the signal
 */
export async function connect(url: string | URL, options: ClientOptions = {}): Promise<ConcordClient> {
  const { card, endpoint } = await fetchCard(url, options);
  return new ConcordClient(card, new Rpc(endpoint, options));
}
