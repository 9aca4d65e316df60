import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { ConcordError } from '../base/errors.ts';
import { refuse } from '../base/reasons.ts';
import type { AllowedReceivers } from '../config/allowedReceivers.ts';
import { isPublicAddress } from './publicAddress.ts';

/** What is not called, and why; the message quotes nothing but the host. */
export class ReceiverRefused extends Error {
  readonly reason: 'invalid-url' | 'unknown-host' | 'refused-address' | 'https-required' | 'invalid-header';

  constructor(reason: ReceiverRefused['reason'], message: string) {
    super(message);
    this.name = 'ReceiverRefused';
    this.reason = reason;
  }
}

/**
 * What a caller is told of it: the same of a name that isn't found and of one that is private, or who asks for one after
 * another would know which private names there are.
 * @param what of whom the address is
 * @param onFault told which it is
 */
export function refusalOf(
  { reason, message }: ReceiverRefused,
  url: string,
  { what, setting = pushSetting, onFault }: { what: string; setting?: string; onFault?: OnFault | undefined },
): ConcordError {
  if (reason !== 'unknown-host' && reason !== 'refused-address')
    return refuse(reason, `The ${what} is refused: ${message}`);
  const { hostname } = new URL(url);
  onFault?.(hostname, reason);
  const why = `is not found, or has an address that is not public and that ${setting} does not let in`;
  return refuse('refused-address', `The ${what} is refused: ${hostname} ${why}`);
}

/** Told of what callers are not: why an address cannot be called, by its reason or the code of the error. */
export type OnFault = (host: string, fault: string) => void;

const pushSetting = 'PUSH_ALLOW';

/** A receiver, and the addresses to connect to: who connects by name again could be told others (DNS rebinding). */
export interface Receiver {
  url: URL;
  addresses: LookupAddress[];
}

/** Finds out the addresses of a host; `dns.lookup` unless a test says otherwise. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

const resolveByDns: Resolve = (host) => lookup(host, { all: true });

/**
 * Resolves the host of a URL, once, and checks what it comes to. One address that may not be called refuses all.
 * @param setting by which an operator lets more in
 * @throws ReceiverRefused
 */
export async function receiverAt(
  text: string,
  allowed: AllowedReceivers,
  resolve = resolveByDns,
  setting = pushSetting,
): Promise<Receiver> {
  if (!URL.canParse(text)) throw new ReceiverRefused('invalid-url', 'The url is not one');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ReceiverRefused('invalid-url', 'The url is neither https: nor http:');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ReceiverRefused('invalid-url', 'The url holds credentials; give them as authentication');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const addresses = family ? [{ address: host, family }] : await resolved(host, resolve);
  const isAllowed = ({ address, family }: LookupAddress) =>
    allowed.hosts.has(host) || allowed.addresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
  if (!addresses.every((each) => isAllowed(each) || isPublicAddress(each.address))) {
    throw new ReceiverRefused(
      'refused-address',
      `${host} has an address that is not of the public Internet, and ${setting} does not let it in`,
    );
  }
  if (url.protocol === 'http:' && !addresses.every(isAllowed)) {
    throw new ReceiverRefused('https-required', `${host} is called over https only, unless ${setting} lets it in`);
  }
  return { url, addresses };
}

/** Has a connection made to the addresses that were checked, whatever the name comes to by then. */
export function pinnedTo(addresses: LookupAddress[]): LookupFunction {
  return (_host, options, found) => {
    const [first] = addresses;
    if (options.all) found(null, addresses);
    else found(null, first?.address ?? '', first?.family);
  };
}

async function resolved(host: string, resolve: Resolve): Promise<LookupAddress[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new ReceiverRefused('unknown-host', `${host} has no address`);
  return addresses;
}
