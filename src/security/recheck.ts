import { AccessRefused, IdentitiesUnavailable } from './refused.ts';

/** How often the credentials of an open stream are looked at again. */
export const recheckMs = 10_000;

/**
 * Authenticates again and again while a stream is open: a token that expires, or a key that is revoked, must not go on
 * listening. That credentials cannot be checked for a moment ends nothing.
 * @param refused told once, when the credentials are no longer good
 * @returns what ends it
 */
export function recheck(
  authenticate: () => Promise<unknown>,
  everyMs: number,
  refused: (error: AccessRefused) => void,
): () => void {
  const once = async () => {
    try {
      await authenticate();
    } catch (error) {
      if (!(error instanceof AccessRefused) || error instanceof IdentitiesUnavailable) return;
      stop();
      refused(error);
    }
  };
  const timer = setInterval(once, everyMs).unref();
  const stop = () => clearInterval(timer);
  return stop;
}
