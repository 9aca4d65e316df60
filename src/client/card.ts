import { AgentCardError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { defaultRetry, retrying } from './retry.ts';
import { statusError } from './rpc.ts';
import { sendAndRead, shown } from './transport.ts';

/**
 * The parts of an agent card that the client reads, of A2A 0.3 (section 5.5) or 1.0 (section 4.4.1); knowledge graph
 * extension 1.0, section 1. What a card of 1.0 says elsewhere stands where 0.3 has it, too.
 */
export interface AgentCard {
  name?: string;
  version?: string;
  /** The endpoint. */
  url: string;
  preferredTransport?: string;
  additionalInterfaces?: { url: string; transport: string }[];
  supportedInterfaces?: { url: string; protocolBinding: string; protocolVersion: string }[];
  capabilities: {
    streaming?: boolean;
    knowledgeGraph?: boolean;
    knowledgeGraphQueryLanguages?: string[];
    [further: string]: unknown;
  };
  [further: string]: unknown;
}

const extensionUri = 'urn:a2a:extension:knowledge-graph-collaboration:1.0';

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
  if (card?.capabilities === null || typeof card?.capabilities !== 'object') {
    throw notACard(address, 'has no capabilities');
  }
  if (typeof card.url === 'string') return card as AgentCard;
  if (!Array.isArray(card.supportedInterfaces)) throw notACard(address, 'has no url');
  return asBefore(card, card.supportedInterfaces, card.capabilities);
}

/** A card of A2A 1.0 with what 0.3 and the draft of the extension have in other places. */
function asBefore(
  card: Partial<AgentCard>,
  interfaces: { url: string; protocolBinding: string }[],
  capabilities: AgentCard['capabilities'],
): AgentCard {
  const [first, ...others] = interfaces.map(({ url, protocolBinding: transport }) => ({ url, transport }));
  const extensions = Array.isArray(capabilities.extensions) ? capabilities.extensions : [];
  const knowledge = extensions.find((each: { uri?: unknown }) => each.uri === extensionUri);
  return {
    ...card,
    url: first?.url ?? '',
    preferredTransport: first?.transport,
    additionalInterfaces: others,
    capabilities: {
      ...(knowledge && {
        knowledgeGraph: true,
        knowledgeGraphQueryLanguages: knowledge.params?.queryLanguages,
      }),
      ...capabilities,
    },
  };
}

/** Where the card says that JSON-RPC is spoken. */
function endpointOf(card: AgentCard, address: URL): URL {
  const { url, preferredTransport: transport = 'JSONRPC', additionalInterfaces = [] } = card;
  const found = [{ url, transport }, ...additionalInterfaces].find((each) => each.transport === 'JSONRPC');
  if (!found) throw notACard(address, 'names no JSONRPC endpoint');
  if (!URL.canParse(found.url, address.href)) throw notACard(address, 'has an endpoint that is not a URL');
  const endpoint = httpUrl(new URL(found.url, address.href), `The endpoint in the agent card at ${shown(address)}`);
  if (address.protocol === 'https:' && endpoint.protocol === 'http:') {
    throw notACard(address, 'came over https and names an http endpoint, which would see tokens in the clear');
  }
  return endpoint;
}

function httpUrl(given: string | URL, what: string): URL {
  const fault = (text: string) => new AgentCardError(`${what} ${text}`, { reason: 'invalid-url', retryable: false });
  if (!URL.canParse(String(given))) throw fault('is not a URL; write it as https://concord.example.org');
  const url = new URL(String(given));
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw fault('is neither http: nor https:');
  if (url.username !== '' || url.password !== '') throw fault('holds credentials; give them as token or headers');
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
