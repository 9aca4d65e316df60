import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { isTrusted } from '../limits/address.ts';
import { forwardCertificate } from '../security/certificates/clientCertificate.ts';

/**
 * Takes the certificate of a caller from the header `Client-Cert` of a trusted proxy, which has checked it and lets no
 * caller's own header pass: RFC 9440, or percent-encoded PEM, as nginx writes it. What can't be read is none.
 */
export function takeForwarded(request: IncomingMessage, proxies: BlockList): void {
  const said = request.headers['client-cert'];
  if (typeof said !== 'string' || !isTrusted(request.socket.remoteAddress, proxies)) return;
  try {
    const [, der] = /^:([A-Za-z0-9+/=]+):$/.exec(said) ?? [];
    const certificate = der === undefined ? decodeURIComponent(said) : Buffer.from(der, 'base64');
    forwardCertificate(request, new X509Certificate(certificate));
  } catch {
    // Nobody is recognized by it.
  }
}
