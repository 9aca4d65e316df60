import { refuse } from '../../base/reasons.ts';
import { type CheckedCard, checkCard } from '../cards/checkCard.ts';
import { badSignature, type KeySet, type KeysOf, keySet } from '../cards/signature.ts';
import { type FetchingParts, fetchJson, sharingTime } from './fetchJson.ts';

/** A card that was fetched. */
export interface FetchedCard extends CheckedCard {
  /** Where it lies. */
  url: string;
  etag?: string;
  /** Milliseconds for which it need not be fetched again. */
  freshMs: number;
}

const wellKnown = ['.well-known/agent-card.json', '.well-known/agent.json'];

/**
 * Fetches the card of an agent, and verifies its signature; all of it within the time of one fetch.
 * @param url of the card, which ends in `.json`, or of the agent
 * @param keys that verify it, instead of those that it names
 * @throws ConcordError with the reason
 */
export async function fetchCard(
  parts: FetchingParts,
  url: string,
  { keys, signal }: { keys?: KeySet; signal: AbortSignal },
): Promise<FetchedCard> {
  const timed = sharingTime(parts);
  for (const address of addressesOf(url)) {
    const fetched = await fetchJson(timed(), address, { signal });
    if (fetched.kind !== 'document') continue;
    const { document, freshMs, etag } = fetched;
    const card = await checkFetched(timed(), document, address, { keys, signal });
    return { ...card, url: address, freshMs, ...(etag !== undefined && { etag }) };
  }
  throw refuse('card-unreachable', 'There is no agent card at the address, nor at its usual places behind it', {
    status: 404,
  });
}

/** Reads a card that was fetched, and verifies its signature. @throws ConcordError with the reason */
export function checkFetched(
  parts: FetchingParts,
  document: object,
  url: string,
  { keys, signal }: { keys?: KeySet; signal: AbortSignal },
): Promise<CheckedCard> {
  return checkCard(document, keysFor(parts, url, { keys, signal }), baseOf(url));
}

/**
 * The keys that are given, else those at the address that a signature names, where it is of the same origin as the card:
 * from elsewhere anybody's key would do.
 */
function keysFor(
  parts: FetchingParts,
  cardUrl: string,
  { keys, signal }: { keys?: KeySet; signal: AbortSignal },
): KeysOf {
  const timed = sharingTime(parts);
  const known = new Map<string, KeySet>();
  return async (jku) => {
    if (keys) return keys;
    if (jku === undefined) return undefined;
    if (!URL.canParse(jku) || new URL(jku).origin !== new URL(cardUrl).origin) {
      throw badSignature('The card is signed by a key that is kept at another origin than the card');
    }
    const before = known.get(jku);
    if (before) return before;
    const fetched = await fetchJson(timed(), jku, { signal });
    const parsed = fetched.kind === 'document' ? keySet.safeParse(fetched.document) : undefined;
    if (!parsed?.success) throw badSignature('The address of the key that has signed the card has no key set');
    known.set(jku, parsed.data);
    return parsed.data;
  };
}

function addressesOf(url: string): string[] {
  if (!URL.canParse(url) || new URL(url).pathname.endsWith('.json')) return [url];
  return wellKnown.map((path) => {
    const address = new URL(url);
    address.pathname = `${address.pathname.replace(/\/+$/, '')}/${path}`;
    return address.href;
  });
}

/** The address of the agent whose card lies there. */
function baseOf(url: string): string {
  const base = new URL(url);
  base.search = '';
  base.hash = '';
  base.pathname = base.pathname.replace(/(\/\.well-known)?\/[^/]*$/, '');
  return base.href.replace(/\/+$/, '');
}
