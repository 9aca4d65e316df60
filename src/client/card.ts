import { AgentCardError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { defaultRetry, retrying } from './retry.ts';
import { statusError } from './rpc.ts';
import { sendAndRead, shown } from './transport.ts';

/** The parts of an agent card that the client reads. A2A 0.3, section 5.5; knowledge graph extension 1.0, section 1. */
export interface AgentCard {
  name?: string;
  version?: string;
  /** The endpoint. */
  url: string;
  preferredTransport?: string;
  additionalInterfaces?: { url: string; transport: string }[];
  capabilities: {
    streaming?: boolean;
    knowledgeGraph?: boolean;
    knowledgeGraphQueryLanguages?: string[];
    [further: string]: unknown;
  };
  [further: string]: unknown;
}

const wellKnown = ['.well-known/agent-card.json', '.well-known/agent.json'];

/**
 * Fetches the card of an agent.
 * @param url the agent's base address, or that of the card itself, which ends in `.json`
 * @returns the card, and the endpoint that it names
 * @throws AgentCardError, TransportError
 */
export async function fetchCard(
  url: string | URL,
  options: ClientOptions,
): Promise<{ card: AgentCard; endpoint: URL }> {
  const base = httpUrl(url, 'The address');
  const addresses = base.pathname.endsWith('.json') ? [base] : wellKnown.map((path) => under(base, path));
  for (const address of addresses) {
    const text = await readCard(address, options);
    if (text === undefined) continue;
    const card = parseCard(text, address);
    return { card, endpoint: endpointOf(card, address) };
  }
  throw new AgentCardError(
    `There is no agent card at ${addresses.map(shown).join(' nor at ')}; give the agent's base address or that of its card`,
    { reason: 'no-card', retryable: false },
  );
}

/** The card's text; undefined where there is none. */
async function readCard(address: URL, options: ClientOptions): Promise<string | undefined> {
  const { signal } = options;
  const attempt = async () => {
    const headers = { Accept: 'application/json' };
    const { status, text } = await sendAndRead(options, { url: address, headers, signal });
    if (status === 404 || status === 410) return undefined;
    if (status !== 200) throw statusError(address, status);
    return text;
  };
  return retrying(attempt, { ...defaultRetry, ...options.retry }, signal);
}

function parseCard(text: string, address: URL): AgentCard {
  let card: Partial<AgentCard> | null;
  try {
    card = JSON.parse(text);
  } catch (cause) {
    throw notACard(address, 'is not JSON', { cause });
  }
  if (typeof card?.url !== 'string') throw notACard(address, 'has no url');
  if (card.capabilities === null || typeof card.capabilities !== 'object') {
    throw notACard(address, 'has no capabilities');
  }
  return card as AgentCard;
}

/** Where the card says that JSON-RPC is spoken. */
function endpointOf(card: AgentCard, address: URL): URL {
  const { url, preferredTransport: transport = 'JSONRPC', additionalInterfaces = [] } = card;
  const found = [{ url, transport }, ...additionalInterfaces].find((each) => each.transport === 'JSONRPC');
  if (!found) throw notACard(address, 'names no JSONRPC endpoint');
  if (!URL.canParse(found.url, address.href)) throw notACard(address, 'has an endpoint that is not a URL');
  const endpoint = httpUrl(
    new URL(found.url, address.href),
    `The endpoint in the agent card at ${shown(address)}`,
  );
  if (address.protocol === 'https:' && endpoint.protocol === 'http:') {
    throw notACard(
      address,
      'came over https and names an http endpoint, which would see tokens in the clear',
    );
  }
  return endpoint;
}

function httpUrl(given: string | URL, what: string): URL {
  const fault = (text: string) =>
    new AgentCardError(`${what} ${text}`, { reason: 'invalid-url', retryable: false });
  if (!URL.canParse(String(given))) throw fault('is not a URL; write it as https://concord.example.org');
  const url = new URL(String(given));
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw fault('is neither http: nor https:');
  if (url.username !== '' || url.password !== '')
    throw fault('holds credentials; give them as token or headers');
  return url;
}

function under(base: URL, path: string): URL {
  const address = new URL(base);
  address.pathname = `${base.pathname.replace(/\/+$/, '')}/${path}`;
  return address;
}

function notACard(address: URL, fault: string, options?: ErrorOptions): AgentCardError {
  return new AgentCardError(
    `The agent card at ${shown(address)} ${fault}`,
    { reason: 'invalid-card', retryable: false },
    undefined,
    options,
  );
}
