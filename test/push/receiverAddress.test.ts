import { expect, test } from '@jest/globals';
import { parseAllowed } from '../../src/config/allowedReceivers.ts';
import { requireReceiver } from '../../src/push/attempt.ts';
import { type Resolve, receiverAt } from '../../src/push/receiverAddress.ts';

const nobody = parseAllowed('');
const to =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

test.each([
  'https://127.0.0.1/hook',
  'https://127.1/hook',
  'https://0x7f000001/hook',
  'https://2130706433/hook',
  'https://0/hook',
  'https://10.0.0.1/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/hook',
  'https://[::ffff:127.0.0.1]/hook',
  'https://[fd00::1]/hook',
  'https://localhost/hook',
])('%s is refused for its address', async (url) => {
  await expect(receiverAt(url, nobody)).rejects.toMatchObject({ reason: 'refused-address' });
});

test('a host of which one address is private is refused, whatever the others are', async () => {
  const found = receiverAt('https://hooks.example/', nobody, to('8.8.8.8', '10.0.0.1'));
  await expect(found).rejects.toMatchObject({ reason: 'refused-address' });
});

test('a public host is reached at the addresses that were checked', async () => {
  const { addresses } = await receiverAt('https://hooks.example/', nobody, to('8.8.8.8', '2a00::1'));
  expect(addresses).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2a00::1', family: 6 },
  ]);
});

test.each([
  ['http://hooks.example/', 'https-required'],
  ['ftp://hooks.example/', 'invalid-url'],
  ['file:///etc/passwd', 'invalid-url'],
  ['hooks.example', 'invalid-url'],
  ['https://ana:hunter2@hooks.example/', 'invalid-url'],
])('%s is refused as %s', async (url, reason) => {
  const refused = receiverAt(url, nobody, to('8.8.8.8'));
  await expect(refused).rejects.toMatchObject({
    reason,
    message: expect.not.stringContaining('hunter2'),
  });
});

test('a caller is told the same of a name that is not found and of one that is private, the log which it is', async () => {
  const told = async (resolve: Resolve) => {
    const faults: string[] = [];
    const receiver = { url: 'https://db.internal/hook' };
    const onFault = (host: string, fault: string) => faults.push(`${host} ${fault}`);
    const error = await requireReceiver(receiver, { allowed: nobody, resolve, onFault }).catch((thrown) => thrown);
    return [error.message, error.code, error.data, ...faults];
  };
  const gone: Resolve = async () => {
    throw new Error('ENOTFOUND');
  };
  const [unknown, isPrivate] = [await told(gone), await told(to('10.0.0.1'))];
  expect(unknown.slice(0, 3)).toEqual(isPrivate.slice(0, 3));
  expect(unknown.slice(0, 3)).toEqual([
    expect.stringContaining('db.internal'),
    -32602,
    { reason: 'refused-address', retryable: false },
  ]);
  expect([unknown[3], isPrivate[3]]).toEqual(['db.internal unknown-host', 'db.internal refused-address']);
});

test('a host that has no address is refused for that', async () => {
  const gone: Resolve = async () => {
    throw new Error('ENOTFOUND');
  };
  await expect(receiverAt('https://gone.example/', nobody, gone)).rejects.toMatchObject({
    reason: 'unknown-host',
  });
});

test('the setting lets in hosts, addresses and blocks, over http too, and nothing else', async () => {
  const allowed = parseAllowed('Hooks.Internal, 10.1.0.0/16, ::1,');
  const reached = (url: string, ...addresses: string[]) =>
    receiverAt(url, allowed, to(...addresses)).then(
      () => 'reached',
      ({ reason }) => reason,
    );
  expect(await reached('http://hooks.internal:8080/', '192.168.0.1')).toBe('reached');
  expect(await reached('http://HOOKS.internal/', '192.168.0.1')).toBe('reached');
  expect(await reached('http://10.1.2.3/')).toBe('reached');
  expect(await reached('http://[::1]/')).toBe('reached');
  expect(await reached('http://other.internal/', '10.1.2.3')).toBe('reached');
  expect(await reached('http://other.internal/', '10.2.0.1')).toBe('refused-address');
  expect(await reached('http://other.internal/', '10.1.2.3', '8.8.8.8')).toBe('https-required');
});

test.each(['10.0.0.0/33', '10.0.0.0/x', '::1/129', 'https://hooks.example', 'a b', '10.0.0.0/8/8'])(
  'the setting takes no %j',
  (text) => {
    expect(() => parseAllowed(text)).toThrow(text);
  },
);
