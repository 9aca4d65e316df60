import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JwksClient, SigningKey } from 'jwks-rsa';
import { StartupError } from '../base/errors.ts';
import { isLoopback } from '../base/isLoopback.ts';
import { IdentitiesUnavailable } from './refused.ts';
import { type KeySource, publicKey, type VerificationKey } from './verificationKey.ts';

export interface KeySetOptions {
  /** How long a key set counts as current, in milliseconds. */
  maxAgeMs?: number;
  /** How long it is still used while the address doesn't answer. */
  graceMs?: number;
  /**
   * The least time between two requests: unknown key ids, which anybody can make up, must not become a flood. Who asks
   * for one meanwhile waits for the next request, so that nobody keeps a new key out for longer.
   */
  pauseMs?: number;
  timeoutMs?: number;
  /** Milliseconds of a clock that doesn't jump. */
  now?: () => number;
  /** Told when the key set cannot be had. */
  onError?: (error: unknown) => void;
}

/** Who waits for the key set; of more, each is told at once that its key isn't known. */
const mostWaiting = 1_000;

/**
 * The key set at an address (JWKS, RFC 7517). An unknown key id has it fetched again, so that a rotated key is known at
 * once; a key that has been withdrawn is forgotten when the set is next fetched, after `maxAgeMs` at the latest.
 */
export class KeySet implements KeySource {
  private readonly url: string;
  private readonly options: Required<KeySetOptions>;
  private client: JwksClient | undefined;
  private keys: { kid: string | undefined; key: VerificationKey }[] = [];
  private fetchedAt = Number.NEGATIVE_INFINITY;
  private attemptedAt = Number.NEGATIVE_INFINITY;
  private loading: Promise<void> | undefined;
  /** Requests that were sent. */
  private sent = 0;
  private waiting = 0;
  private failure: unknown;

  /** @throws StartupError unless the address is https, or http on this machine */
  constructor(url: string, options: KeySetOptions = {}) {
    requireSafe(url);
    this.url = url;
    this.options = {
      maxAgeMs: 600_000,
      graceMs: 3_600_000,
      pauseMs: 1_000,
      timeoutMs: 5_000,
      now: () => performance.now(),
      onError: () => {},
      ...options,
    };
  }

  /** @throws IdentitiesUnavailable when the key is not among those known and the address doesn't answer */
  async find(kid: string | undefined): Promise<VerificationKey | undefined> {
    const { maxAgeMs, graceMs } = this.options;
    const known = this.pick(kid, maxAgeMs);
    if (known) return known;
    const { sent } = this;
    await this.refresh();
    let found = this.pick(kid, maxAgeMs + graceMs);
    // What was under way already may be older than the key.
    if (!found && this.sent === sent) {
      await this.refresh();
      found = this.pick(kid, maxAgeMs + graceMs);
    }
    if (!found && this.failure !== undefined) throw new IdentitiesUnavailable({ cause: this.failure });
    return found;
  }

  /** A token without a key id is only of a known key where there is no choice. */
  private pick(kid: string | undefined, withinMs: number): VerificationKey | undefined {
    if (this.options.now() - this.fetchedAt >= withinMs) return undefined;
    if (kid === undefined) return this.keys.length === 1 ? this.keys[0]?.key : undefined;
    return this.keys.find((each) => each.kid === kid)?.key;
  }

  /** Waits for the request that is under way, or for the next one. */
  private async refresh(): Promise<void> {
    if (!this.loading) {
      const restMs = Math.max(0, this.attemptedAt + this.options.pauseMs - this.options.now());
      // Whoever waits for an address that doesn't answer may wait for long.
      if (restMs > 0 && this.failure !== undefined) return;
      this.loading = this.loadIn(restMs).finally(() => {
        this.loading = undefined;
      });
    }
    if (this.waiting >= mostWaiting) return;
    this.waiting += 1;
    try {
      await this.loading;
    } finally {
      this.waiting -= 1;
    }
  }

  private async loadIn(restMs: number): Promise<void> {
    if (restMs > 0) await sleep(restMs, undefined, { ref: false });
    this.attemptedAt = this.options.now();
    this.sent += 1;
    await this.load();
  }

  private async load(): Promise<void> {
    try {
      this.client ??= await this.connect();
      this.keys = (await this.client.getSigningKeys()).flatMap(usable);
      this.fetchedAt = this.options.now();
      this.failure = undefined;
    } catch (error) {
      this.failure = error;
      this.options.onError(error);
    }
  }

  private async connect(): Promise<JwksClient> {
    // Loaded only here: most services verify with one key, and this brings a whole library of formats.
    const { JwksClient: Client } = (await import('jwks-rsa')).default;
    // Its own cache keeps keys one by one and its limit counts what strangers make up; here the set is kept as a whole.
    return new Client({ jwksUri: this.url, cache: false, rateLimit: false, fetcher: (url) => this.get(url) });
  }

  private async get(url: string): Promise<{ keys: unknown }> {
    // A redirect could lead from https to anywhere.
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    const response = await fetch(url, { redirect: 'error', headers: { accept: 'application/json' }, signal });
    if (!response.ok) throw new Error(`JWT_JWKS_URL answers with status ${response.status}`);
    return (await response.json()) as { keys: unknown };
  }
}

function usable(signingKey: SigningKey): { kid: string | undefined; key: VerificationKey }[] {
  const { kid, alg } = signingKey as { kid?: string; alg?: string };
  const key = publicKey(createPublicKey(signingKey.getPublicKey()), alg);
  return key ? [{ kid, key }] : [];
}

function requireSafe(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:') return;
  if (parsed?.protocol === 'http:' && isLoopback(parsed.hostname)) return;
  throw new StartupError('JWT_JWKS_URL must be an https address, for whoever can change the keys can be anybody');
}
