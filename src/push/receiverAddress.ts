import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AllowedReceivers } from '../config/allowedReceivers.ts';
import { isPublicAddress } from './publicAddress.ts';

/** Where notifications are not sent, and why; the message quotes nothing but the host. */
export class ReceiverRefused extends Error {
  readonly reason: 'invalid-url' | 'unknown-host' | 'refused-address' | 'https-required' | 'invalid-header';

  constructor(reason: ReceiverRefused['reason'], message: string) {
    super(message);
    this.name = 'ReceiverRefused';
    this.reason = reason;
  }
}

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
 * @throws ReceiverRefused
 */
export async function receiverAt(text: string, allowed: AllowedReceivers, resolve = resolveByDns): Promise<Receiver> {
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
      `${host} has an address that is not of the public Internet, and PUSH_ALLOW does not let it in`,
    );
  }
  if (url.protocol === 'http:' && !addresses.every(isAllowed)) {
    throw new ReceiverRefused(
      'https-required',
      `Notifications go to ${host} over https only, unless PUSH_ALLOW lets it in`,
    );
  }
  return { url, addresses };
}

async function resolved(host: string, resolve: Resolve): Promise<LookupAddress[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new ReceiverRefused('unknown-host', `${host} has no address`);
  return addresses;
}
