import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import type { ConcordError } from '../../base/errors.ts';
import { nestingFault } from '../../calls/nesting.ts';
import { unreadable } from '../protocol/protocolError.ts';

/** In the place of a message that cannot be read, and why. */
export class UnreadableMessage {
  constructor(readonly error: ConcordError) {}
}

/** The service, which reads every message: what it cannot read grpc-js would answer as a fault of the server's. */
export function readingAll(service: ServiceDefinition): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(service).map(([name, method]) => [
      name,
      { ...method, requestDeserialize: (bytes: Buffer) => read(method, bytes) },
    ]),
  );
}

function read(method: MethodDefinition<unknown, unknown>, bytes: Buffer): unknown {
  try {
    const message = method.requestDeserialize(bytes);
    const fault = nestingFault(message);
    return fault ? new UnreadableMessage(fault) : message;
  } catch {
    return new UnreadableMessage(unreadable('The message is no protobuf message of the method'));
  }
}
