import { StartupError } from '../../base/errors.ts';
import { fetchCard } from '../../client/card.ts';
import { Rpc } from '../../client/rpc.ts';
import { type Ask, isYes } from '../terminal/ask.ts';
import type { Io } from '../terminal/io.ts';
import { type ConnectionOptions, type Credentials, defaultUrl, shownBy } from './connection.ts';

/** Where a command that writes asks first. */
export interface WritingParts extends Io {
  /** Asks at the terminal; undefined where nobody is there to answer. */
  ask?: Ask;
}

interface Caller {
  tenant: string;
  agentId?: string;
}

/**
 * Says which service a command is about to write to, in which tenant and as whom; and asks whether it is meant, where
 * it isn't the default one and somebody is there to answer.
 * @throws StartupError where it isn't meant; ConcordClientError
 */
export async function confirmTarget(
  options: ConnectionOptions & { yes?: boolean },
  { say, ask }: WritingParts,
): Promise<void> {
  const { url, agent, yes } = options;
  const caller = await callerOf(options);
  const tenant = caller === undefined ? 'no identities' : `tenant ${caller.tenant}`;
  say(`Writing to ${url}, ${tenant}, as agent ${agent ?? caller?.agentId ?? 'local'}`);
  if (yes || ask === undefined || new URL(url).origin === defaultUrl) return;
  if (!isYes(await ask('Is that the one? [y/N] '))) throw new StartupError('Nothing was written.');
}

/** What the credentials are to the service; undefined where it has no identities. */
async function callerOf(options: ConnectionOptions): Promise<Caller | undefined> {
  const { card, rpc } = await rpcOf(options);
  if (!card.capabilities.extendedAgentCard && !card.supportsAuthenticatedExtendedCard) return undefined;
  const extended = await rpc.call<ExtendedCard>('GetExtendedAgentCard', {}, { headers: { 'A2A-Version': '1.0' } });
  const extensions = extended.capabilities?.extensions ?? [];
  return extensions.map(({ params }) => params?.caller).find((caller) => caller !== undefined);
}

interface ExtendedCard {
  capabilities?: { extensions?: { params?: { caller?: Caller } }[] };
}

/** For the methods that the client hasn't got. @throws ConcordClientError, at once where there is no Concord */
export async function rpcOf({ url, ...credentials }: Credentials & { url: string }) {
  const options = shownBy(credentials);
  const { card, endpoint } = await fetchCard(url, { ...options, retry: { attempts: 1 } });
  return { card, rpc: new Rpc(endpoint, options) };
}
