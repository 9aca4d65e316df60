import { createHash } from 'node:crypto';
import { validateHeaderValue } from 'node:http';
import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { type SigningKey, signedToken } from '../security/signingKey.ts';
import { ReceiverRefused } from './receiverAddress.ts';

/** What a notification is signed with. */
export interface Signing {
  key: SigningKey;
  /** Where the service is reached: the issuer. */
  issuer: string;
  /** Where the public key is found. */
  jku: string;
}

/** Where a notification goes, and what the receiver wants to be shown. */
export type ReceiverConfig = Pick<TaskPushNotificationConfig, 'url'> &
  Partial<Pick<TaskPushNotificationConfig, 'token' | 'authentication'>>;

/** What is sent to one receiver. */
export interface Notification {
  /** The same in each attempt, so that a receiver tells a repetition. */
  id: string;
  /** What it is of, which the signature and the log tell. */
  about: { taskId: string } | { subscriptionId: string };
  contentType: string;
  /** Of its dialect. */
  headers?: Record<string, string>;
  body: Buffer;
}

/**
 * The headers of a notification to a receiver: its token, its credentials (A2A 1.0, section 4.3.3), and the signature,
 * in `Authorization` unless the receiver has credentials for that.
 */
export function headersOf(
  config: ReceiverConfig,
  notification: Notification,
  signing: Signing | undefined,
  now: number,
): Record<string, string> {
  const { token } = config;
  const authorization = authorizationOf(config);
  const signature = signing && signatureOf(signing, notification, new URL(config.url).origin, now);
  return {
    ...notification.headers,
    'Content-Type': notification.contentType,
    ...(token && { 'X-A2A-Notification-Token': token }),
    ...(authorization && { Authorization: authorization }),
    ...(signature && (authorization ? { [signatureHeader]: signature } : { Authorization: `Bearer ${signature}` })),
  };
}

const signatureHeader = 'X-A2A-Notification-Signature';

/** @throws ReceiverRefused where the configuration has what no header can hold */
export function requireHeaders(config: ReceiverConfig): void {
  const values = { token: config.token ?? '', authentication: authorizationOf(config) ?? '' };
  for (const [name, value] of Object.entries(values)) {
    try {
      validateHeaderValue(name, value);
    } catch {
      throw new ReceiverRefused('invalid-header', `The ${name} has characters that no HTTP header can hold`);
    }
  }
}

function authorizationOf({ authentication }: ReceiverConfig): string | undefined {
  const { scheme, credentials } = authentication ?? {};
  return scheme && credentials ? `${scheme} ${credentials}` : undefined;
}

/** Good for five minutes, with an id against replay and the hash of the body against another body. */
function signatureOf(
  { key, issuer, jku }: Signing,
  { id, about, body }: Notification,
  audience: string,
  now: number,
): string {
  const iat = Math.floor(now / 1_000);
  const claims = {
    iss: issuer,
    aud: audience,
    iat,
    exp: iat + 300,
    jti: id,
    ...about,
    request_body_sha256: createHash('sha256').update(body).digest('hex'),
  };
  return signedToken(key, claims, jku);
}
