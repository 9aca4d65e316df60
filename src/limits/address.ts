import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** Hops of `X-Forwarded-For` that are looked at. */
const mostHops = 20;

/**
 * The address that a request comes from: the nearest one that isn't a trusted proxy. What stands left of it in
 * `X-Forwarded-For` is anybody's word.
 * @param peer the other end of the connection
 */
export function addressOf(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: BlockList | undefined,
): string | undefined {
  let address = plain(peer ?? '');
  if (address === '') return undefined;
  const hops =
    forwardedFor === undefined || trusted === undefined ? [] : forwardedFor.split(',').slice(-mostHops).reverse();
  for (const hop of hops) {
    if (!isIn(address, trusted)) break;
    const next = plain(hop.trim());
    if (isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** The address that an HTTP request comes from, as `addressOf` has it. */
export function requestAddress({ socket, headers }: IncomingMessage, trusted?: BlockList): string | undefined {
  const said = headers['x-forwarded-for'];
  return addressOf(socket.remoteAddress, Array.isArray(said) ? said.join() : said, trusted);
}

/** Whether the other end of a connection is a trusted proxy. */
export function isTrusted(peer: string | undefined, trusted: BlockList): boolean {
  const address = plain(peer ?? '');
  return isIP(address) !== 0 && isIn(address, trusted);
}

function isIn(address: string, trusted: BlockList | undefined): boolean {
  return trusted?.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') ?? false;
}

/** An address of IPv4 that is written as one of IPv6 is the same. */
function plain(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  return mapped ?? address;
}

/** What counts as one address: of IPv6 the first 64 bits, for anybody has all that come behind them. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - behind.length);
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...behind];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
