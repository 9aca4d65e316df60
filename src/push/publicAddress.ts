import { BlockList, isIPv6 } from 'node:net';

/**
 * IANA's special-purpose addresses of IPv4: this host, private, shared (RFC 6598), loopback, link-local, documentation,
 * benchmarks, multicast, reserved.
 */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * What is special within 2000::/3, the only block of global unicast: Teredo and the like, documentation, and 6to4,
 * which carries an address of IPv4. Loopback, fc00::/7, fe80::/10, ff00::/8, IPv4-mapped and NAT64's addresses lie
 * outside of that block.
 */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const special = blockList(special4, 'ipv4');
const specialGlobal = blockList(special6, 'ipv6');
const global6 = blockList(['2000::/3'], 'ipv6');

/** Whether an address is one of the public Internet, by IANA's registries; what isn't known to be is not. */
export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return !special.check(address, 'ipv4');
  return global6.check(address, 'ipv6') && !specialGlobal.check(address, 'ipv6');
}

function blockList(blocks: string[], type: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', length] = block.split('/');
    list.addSubnet(address, Number(length), type);
  }
  return list;
}
