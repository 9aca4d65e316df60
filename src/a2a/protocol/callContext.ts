import { ServerCallContext, type ServerCallContextBuilder } from '@a2a-js/sdk/server';
import type { Call } from '../../calls/call.ts';
import { type CallState, PrincipalUser, stateMap } from '../../calls/callState.ts';
import { EXTENSION_URI } from './extension.ts';
import { versionAsked } from './version.ts';

/**
 * The context of a call, for every transport. Its tenant is what the request says, and is checked where the call is
 * guarded: JSON-RPC tells it only later.
 */
export const callContext: ServerCallContextBuilder = ({ extensions, user, requestedVersion, tenant }) => {
  if (!(user instanceof PrincipalUser)) throw new TypeError('The user of a call must be a PrincipalUser');
  const context = new ServerCallContext({
    requestedExtensions: extensions,
    user,
    requestedVersion: versionAsked(requestedVersion),
    // gRPC has an empty tenant where none is said.
    ...(tenant && { tenant }),
    state: stateMap(user.state),
  });
  // At once, for gRPC sends what was activated before a stream's first event.
  if (extensions?.includes(EXTENSION_URI)) context.addActivatedExtension(EXTENSION_URI);
  return context;
};

/**
 * The context of a call that reaches the handler from Concord's own code.
 * @param version of A2A, or of the dialect, that it is in
 * @param own members of its state
 */
export function contextOf(
  { principal, signal, serviceParameters }: Call,
  version: string,
  own: Pick<CallState, 'dialect' | 'chosenId' | 'doorSlots' | 'timeoutMs'> = {},
): ServerCallContext {
  const user = new PrincipalUser(principal, signal);
  Object.assign(user.state, own);
  const extensions = serviceParameters?.extensions;
  return callContext({ extensions, user, headers: {}, requestedVersion: version });
}
