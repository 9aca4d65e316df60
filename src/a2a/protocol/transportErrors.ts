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

/** An error of Concord's own with what the SDK's transports look for in theirs. */
function refusal({ message }: ConcordError, form: object): A2AError {
  return Object.assign(new A2AError({ message }), form);
}

/** 0.3 has the code and the data of JSON-RPC in its bodies. */
function restRefusal(error: ConcordError, version: string): A2AError {
  const { code, data } = error;
  if (version !== '0.3')
    return refusal(error, { transport: 'rest', statusCode: statusOf(error).http, reason: errorInfoReason(data) });
  const told = Object.keys(data).length > 0 ? data : undefined;
  return refusal(error, { transport: 'jsonrpc', envelopeCode: code, data: told });
}

/** @param kit answers with 415 where the conformance kit wants it and specification 1.0.1 says 400 */
export function restErrors({ kit }: { kit: boolean }): WriteError {
  return (error, version) => {
    const original = error instanceof ProtocolError ? error.original : undefined;
    if (kit && original?.name === 'ContentTypeNotSupportedError') {
      return new RestContentTypeNotSupportedError({ message: original.message, statusCode: 415 });
    }
    return original ?? restRefusal(error, version);
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
    const form = { transport: 'grpc', status: statusOf(error).grpc, reason: errorInfoReason(error.data) };
    return original ?? refusal(error, form);
  };
}

/** The body of an error answer; A2A 1.0, section 11.6. */
export function restBody(error: ConcordError, version: string, status: number): object {
  const written = restErrors({ kit: false })(error, version);
  return version === '0.3' ? toLegacyHTTPError(written) : toRestErrorBody(written, status);
}
