import { expect, test } from '@jest/globals';
import { isPublicAddress } from '../../src/push/publicAddress.ts';

test.each([
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1', 'fec0::1']],
  ['link-local, where clouds keep their credentials', ['169.254.169.254', 'fe80::1', 'febf::1']],
  ['shared', ['100.64.0.1', '100.127.255.255']],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
  ['reserved', ['240.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1', '2001:db8::1', '100::1']],
  ['of IPv4 in IPv6', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:8.8.8.8']],
  ['of IPv4 behind a translator or a tunnel', ['64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1']],
])('an address that is %s is not public', (_kind, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

test('addresses beside those blocks are public', () => {
  const addresses = ['8.8.8.8', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '172.32.0.1'];
  const more = ['223.255.255.255', '2001:4860:4860::8888', '2a00::1', '2003::1'];
  expect([...addresses, ...more].filter((each) => !isPublicAddress(each))).toEqual([]);
});
