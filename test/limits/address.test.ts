import { BlockList } from 'node:net';
import { expect, test } from '@jest/globals';
import { addressOf, networkOf } from '../../src/limits/address.ts';

const trusted = new BlockList();
trusted.addSubnet('10.0.0.0', 8);
trusted.addAddress('::1', 'ipv6');

test.each<[string, string | undefined, string | undefined, string | undefined]>([
  ['of nobody', undefined, undefined, undefined],
  ['without a proxy', '192.0.2.1', undefined, '192.0.2.1'],
  ['that claims another', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['behind a proxy', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
  ['behind a proxy of IPv6', '::1', '2001:db8::1', '2001:db8::1'],
  ['behind a proxy that writes IPv4 as IPv6', '::ffff:10.1.2.3', '::ffff:198.51.100.7', '198.51.100.7'],
  ['behind two proxies', '10.1.2.3', '198.51.100.7, 10.9.9.9', '198.51.100.7'],
  ['that claims more than its proxy wrote', '10.1.2.3', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
  ['behind a proxy that writes no address', '10.1.2.3', 'unknown', '10.1.2.3'],
  ['of a proxy itself', '10.1.2.3', undefined, '10.1.2.3'],
])('the address of a request %s', (_, peer, forwardedFor, address) => {
  expect(addressOf(peer, forwardedFor, trusted)).toBe(address);
});

test('without trusted proxies nobody is believed', () => {
  expect(addressOf('10.1.2.3', '198.51.100.7', undefined)).toBe('10.1.2.3');
});

test('of IPv6 the first 64 bits are one network, however they are written', () => {
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
  expect(networkOf('2001:0db8:0:1::1')).toBe('2001:db8:0:1::/64');
  expect(networkOf('2001:DB8:0:1:ffff:ffff:ffff:ffff')).toBe('2001:db8:0:1::/64');
  expect(networkOf('2001:db8::5')).toBe('2001:db8:0:0::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
  expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
});
