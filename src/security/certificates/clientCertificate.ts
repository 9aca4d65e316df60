import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

const forwarded = new WeakMap<IncomingMessage, X509Certificate>();

/** Has a request be made by who holds a certificate that the proxy in front has checked. */
export function forwardCertificate(request: IncomingMessage, certificate: X509Certificate): void {
  forwarded.set(request, certificate);
}

/**
 * The certificate of who makes a request: that of the handshake, if the settings have it asked for and it comes from
 * one of the authorities, or that of the proxy's word. Undefined where there is none.
 */
export function certificateOf(request: IncomingMessage): X509Certificate | undefined {
  const told = forwarded.get(request);
  if (told !== undefined) return told;
  const { socket } = request;
  return socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
}
