import { toLegacyHTTPError } from '@a2a-js/sdk/compat/v0_3/server';
import { A2AError, RestContentTypeNotSupportedError, toRestErrorBody } from '@a2a-js/sdk/errors';
import {
  GRPC_STATUS_CODE,
  GrpcPushNotificationNotSupportedError,
  GrpcUnsupportedOperationError,
  GrpcVersionNotSupportedError,
} from '@a2a-js/sdk/errors/grpc';
import type { ConcordError } from '../../base/errors.ts';
import { statusOf } from '../../calls/statuses.ts';
import { ProtocolError } from './protocolError.ts';

/** How a transport writes an error, in a version of A2A. */
export type WriteError = (error: ConcordError, version: string) => A2AError;

/** The reason as google.rpc.ErrorInfo has it: `MISSING_SCOPE`. */
function errorInfoReason({ reason }: ConcordError['data']): string {
  return (reason ?? 'invalid-request').toUpperCase().replaceAll('-', '_');
}

/** An error of Concord's own, in the form that the SDK's REST transport takes the status from. */
class RestRefusal extends A2AError {
  readonly transport = 'rest';
  readonly statusCode: number;
  override readonly reason: string;

  constructor({ message, data }: ConcordError, statusCode: number) {
    super({ message });
    this.statusCode = statusCode;
    this.reason = errorInfoReason(data);
  }
}

/** The same for 0.3, whose bodies have the code and the data of JSON-RPC. */
class LegacyRestRefusal extends A2AError {
  readonly transport = 'jsonrpc';
  readonly envelopeCode: number;
  readonly data: object | undefined;

  constructor({ code, message, data }: ConcordError) {
    super({ message });
    this.envelopeCode = code;
    this.data = Object.keys(data).length > 0 ? data : undefined;
  }
}

/** The same for gRPC. */
class GrpcRefusal extends A2AError {
  readonly transport = 'grpc';
  readonly status: number;
  override readonly reason: string;

  constructor({ message, data }: ConcordError, status: number) {
    super({ message });
    this.status = status;
    this.reason = errorInfoReason(data);
  }
}

/** @param kit answers with 415 where the conformance kit wants it and specification 1.0.1 says 400 */
export function restErrors({ kit }: { kit: boolean }): WriteError {
  return (error, version) => {
    const original = error instanceof ProtocolError ? error.original : undefined;
    if (kit && original?.name === 'ContentTypeNotSupportedError') {
      return new RestContentTypeNotSupportedError({ message: original.message, statusCode: 415 });
    }
    if (original) return original;
    return version === '0.3' ? new LegacyRestRefusal(error) : new RestRefusal(error, statusOf(error).http);
  };
}

/**
 * @param kit answers with UNIMPLEMENTED where the conformance kit wants it and specification 1.0.1 says
 * FAILED_PRECONDITION
 */
export function grpcErrors({ kit }: { kit: boolean }): WriteError {
  return (error) => {
    const original = error instanceof ProtocolError ? error.original : undefined;
    const options = { message: error.message, status: GRPC_STATUS_CODE.UNIMPLEMENTED };
    if (kit && original?.name === 'UnsupportedOperationError') return new GrpcUnsupportedOperationError(options);
    if (kit && original?.name === 'VersionNotSupportedError') return new GrpcVersionNotSupportedError(options);
    if (kit && original?.name === 'PushNotificationNotSupportedError') {
      return new GrpcPushNotificationNotSupportedError(options);
    }
    return original ?? new GrpcRefusal(error, statusOf(error).grpc);
  };
}

/** The body of an error answer; A2A 1.0, section 11.6. */
export function restBody(error: ConcordError, version: string, status: number): object {
  const written = restErrors({ kit: false })(error, version);
  return version === '0.3' ? toLegacyHTTPError(written) : toRestErrorBody(written, status);
}
