import type { Authenticate, Credentials } from '../security/authenticator.ts';
import { recheck, recheckMs } from '../security/recheck.ts';
import type { Taken } from './inFlight.ts';
import { streamRefused } from './streamEnd.ts';

/**
 * Makes a stream of a request: it ends when its caller's token expires or key is revoked, and with the service. Called
 * by what serves the stream, for only that knows for sure that there is one.
 */
export function becomeStream(taken: Taken, authenticate: Authenticate, credentials: Credentials): void {
  taken.stream();
  const stop = recheck(
    () => authenticate(credentials),
    recheckMs,
    (refused) => taken.abort(streamRefused(refused)),
  );
  void taken.closed.then(stop);
}
