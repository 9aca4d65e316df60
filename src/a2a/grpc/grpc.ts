import { X509Certificate } from 'node:crypto';
import type { BlockList } from 'node:net';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { VersionNotSupportedError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContextBuilder } from '@a2a-js/sdk/server';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import {
  Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { closesWithin } from '../../base/endsWithin.ts';
import { ConcordError, StartupError } from '../../base/errors.ts';
import { isLoopback } from '../../base/isLoopback.ts';
import { socketsOf } from '../../base/portSockets.ts';
import { becomeStream } from '../../calls/becomeStream.ts';
import { PrincipalUser } from '../../calls/callState.ts';
import type { InFlight, Taken } from '../../calls/inFlight.ts';
import { requestDraining } from '../../calls/streamEnd.ts';
import { awaitReader } from '../../calls/streamPace.ts';
import type { Config } from '../../config/config.ts';
import { addressOf } from '../../limits/address.ts';
import type { RateLimits } from '../../limits/rateLimits.ts';
import type { Authenticate, Credentials } from '../../security/authenticator.ts';
import type { CertificateFiles } from '../../security/certificateFiles.ts';
import { metadataToken } from '../../security/metadataToken.ts';
import { callerAddress, continueTrace } from '../../telemetry/tracing.ts';
import { callContext } from '../protocol/callContext.ts';
import type { Calls } from '../protocol/calls.ts';
import { ProtocolError } from '../protocol/protocolError.ts';
import type { WriteError } from '../protocol/transportErrors.ts';
import { isServed, protocolVersions, versionAsked } from '../protocol/version.ts';
import { readingAll, UnreadableMessage } from './grpcMessage.ts';
import { serverCredentials } from './serverCredentials.ts';

export interface GrpcParts {
  /** Throws what the transport writes. */
  handler: A2ARequestHandler;
  authenticate: Authenticate;
  calls: Pick<Calls, 'refused'>;
  inFlight: InFlight;
  writeError: WriteError;
  /** Absent where it is served without TLS. */
  certificates?: CertificateFiles;
  rates?: RateLimits | undefined;
  /** Whose `X-Forwarded-For` is believed; absent means nobody's. */
  proxies?: BlockList;
}

export interface GrpcListening {
  /** Where it listens: `127.0.0.1:4001`. */
  address: string;
  /** Takes no more calls, and cuts those that are still open after SHUTDOWN_MS. */
  close(): Promise<void>;
}

export type GrpcConfig = Pick<Config, 'HOST' | 'GRPC_PORT' | 'MAX_BODY_BYTES' | 'SHUTDOWN_MS' | 'HEARTBEAT_MS'>;

type AnyCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/** How grpc-js has a call served: with a callback where it has one answer, and without where that is a stream. */
type ServeCall = (call: AnyCall, callback?: sendUnaryData<unknown>) => void;

/**
 * Serves A2A 1.0 and 0.3 over gRPC on HOST and GRPC_PORT.
 * @throws StartupError when the address can't be had, or is open to others while nobody is told from anybody
 */
export async function listenGrpc(parts: GrpcParts, config: GrpcConfig, identities: boolean): Promise<GrpcListening> {
  const { HOST: host, GRPC_PORT: port = 0, MAX_BODY_BYTES, SHUTDOWN_MS, HEARTBEAT_MS } = config;
  if (!identities && !isLoopback(host)) {
    throw new StartupError(`GRPC_PORT on HOST=${host} needs identities. Set HOST to 127.0.0.1.`);
  }
  const server = new Server({
    'grpc.max_receive_message_length': MAX_BODY_BYTES,
    // The heartbeats of its streams are HTTP/2's own.
    'grpc.keepalive_time_ms': HEARTBEAT_MS,
    'grpc.keepalive_timeout_ms': HEARTBEAT_MS,
  });
  const taken = new WeakMap<object, Taken>();
  const userBuilder = (call: AnyCall) => authenticated(parts, call, taken.get(call) as Taken, HEARTBEAT_MS);
  const contextBuilder = contextOf(parts.writeError);
  const options = { requestHandler: parts.handler, userBuilder, contextBuilder };
  const add = (service: ServiceDefinition, implementation: UntypedServiceImplementation) =>
    server.addService(readingAll(service), tracked(service, implementation, parts, taken));
  add(A2AService, grpcService(options));
  add(LegacyA2AService, legacyGrpcService(options));
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${name}:${port}`, serverCredentials(parts.certificates), (error, chosen) =>
      error
        ? reject(
            new StartupError(
              `Port ${port} on ${host} cannot be had for gRPC (${error.message}). Set GRPC_PORT to another.`,
            ),
          )
        : resolve(chosen),
    );
  });
  const sockets = socketsOf(bound);
  const cut = () => {
    server.forceShutdown();
    sockets.destroy();
  };
  return {
    address: `${name}:${bound}`,
    async close() {
      await closesWithin(new Promise((resolve) => server.tryShutdown(resolve)), SHUTDOWN_MS, cut);
      sockets.forget();
    },
  };
}

/** The version is looked at here, since the SDK's own error cannot be written in another way. */
function contextOf(writeError: WriteError): ServerCallContextBuilder {
  return (options) => {
    const context = callContext(options);
    if (isServed(context.requestedVersion)) return context;
    const served = protocolVersions.join(' and ');
    throw writeError(
      ProtocolError.of(new VersionNotSupportedError(`A2A ${context.requestedVersion} is not supported; ${served} are`)),
      context.requestedVersion,
    );
  };
}

/** That of the handshake, if it comes from one of the authorities. */
function certificateOf(call: AnyCall): X509Certificate | undefined {
  const { sslPeerCertificate } = call.getAuthContext();
  return sslPeerCertificate && new X509Certificate(sslPeerCertificate.raw);
}

async function authenticated(
  { authenticate, calls, writeError, rates }: GrpcParts,
  call: AnyCall,
  taken: Taken,
  heartbeatMs: number,
): Promise<PrincipalUser> {
  const text = (name: string) => call.metadata.get(name)[0]?.toString();
  try {
    await rates?.admitAddress(callerAddress());
    const credentials: Credentials = {
      authorization: text('authorization'),
      apiKey: text('x-api-key'),
      metadataToken: metadataToken([call.request]),
      certificate: certificateOf(call),
    };
    const principal = await authenticate(credentials);
    if (call.request instanceof UnreadableMessage) throw call.request.error;
    return new PrincipalUser(principal, taken.signal, {
      becomeStream: () => becomeStream(taken, authenticate, credentials),
      ...('writableNeedDrain' in call && { pace: () => awaitReader(call, taken.signal, heartbeatMs) }),
    });
  } catch (error) {
    if (!(error instanceof ConcordError)) throw error;
    calls.refused(error);
    throw writeError(error, versionAsked(text('a2a-version')));
  }
}

/** The service, with every call among those in flight and in the trace that it names. */
function tracked(
  service: ServiceDefinition,
  implementation: UntypedServiceImplementation,
  { inFlight, proxies }: GrpcParts,
  taken: WeakMap<object, Taken>,
): UntypedServiceImplementation {
  const all: UntypedServiceImplementation = {};
  for (const name of Object.keys(service)) {
    const serve = implementation[name] as ServeCall;
    const track: ServeCall = (call, callback) => {
      if (inFlight.draining) {
        if (callback) callback(unavailable);
        else call.emit('error', unavailable);
        return;
      }
      const { leave, ...entry } = inFlight.enter();
      taken.set(call, entry);
      call.once('cancelled', () => leave({ answered: false }));
      // Of a stream; a call with one answer has a callback for it.
      for (const end of ['finish', 'close']) call.once(end, () => leave({ answered: true }));
      const answer: typeof callback = (...given) => {
        leave({ answered: true });
        callback?.(...given);
      };
      const address = addressOf(hostOf(call.getPeer()), call.metadata.get('x-forwarded-for').join(), proxies);
      continueTrace(call.metadata.getMap(), address, () => serve(call, callback && answer));
    };
    all[name] = track;
  }
  return all;
}

/** The host of `127.0.0.1:4001` and `[::1]:4001`. */
const hostOf = (peer: string) => peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

const unavailable = { code: status.UNAVAILABLE, details: requestDraining().message };
