import { BlockList, isIP } from 'node:net';

/**
 * Receivers that an operator lets in though their addresses are private, or are not reached over https (PUSH_ALLOW).
 */
export interface AllowedReceivers {
  /** Names of hosts, in lower case, whatever addresses they have. */
  hosts: ReadonlySet<string>;
  addresses: BlockList;
}

/**
 * @param text comma-separated hosts (`hooks.internal`), addresses (`::1`) and blocks of them (`10.1.0.0/16`)
 * @throws Error naming the entry that is none of these
 */
export function parseAllowed(text: string): AllowedReceivers {
  const hosts = new Set<string>();
  const addresses = new BlockList();
  for (const entry of text.split(',').map((each) => each.trim().toLowerCase())) {
    if (entry === '') continue;
    const [address = '', length, ...more] = entry.split('/');
    const version = isIP(address);
    if (version !== 0) {
      const bits = version === 4 ? 32 : 128;
      const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : -1;
      if (prefix < 0 || prefix > bits || more.length > 0) throw notReceivers(entry);
      addresses.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
    } else if (/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(entry)) hosts.add(entry);
    else throw notReceivers(entry);
  }
  return { hosts, addresses };
}

function notReceivers(entry: string): Error {
  return new Error(`'${entry}' is no host, no address and no block of addresses (10.1.0.0/16)`);
}
