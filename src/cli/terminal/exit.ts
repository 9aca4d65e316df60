import { StartupError } from '../../base/errors.ts';
import { ConcordClientError, InvalidRequestError, TransportError } from '../../client/index.ts';

/** What a command ends with. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** The command or its input cannot be understood. */
  usage: 2,
  /** It ran to its end, but something was left out: rejected by the rules, held for review, or faulty and skipped. */
  partly: 3,
  /** Ctrl-C, as shells have it. */
  interrupted: 130,
} as const;

export const exitCodesHelp =
  '\nExit codes: 0 done, 1 not done, 2 a command that cannot be understood, 3 done in part (rejected, held or skipped), 130 interrupted.';

/** A command line that asks for what there is not. */
export class UsageError extends StartupError {}

/** The line for a fault that people can do something about, and the exit code; undefined for a fault of the program. */
export function explained(error: unknown): { line: string; code: number } | undefined {
  if (error instanceof UsageError) return { line: error.message, code: exitCodes.usage };
  if (error instanceof StartupError) return { line: error.message, code: exitCodes.failed };
  if (error instanceof ConcordClientError) return { line: adviceOn(error), code: exitCodes.failed };
  const { code, message } = error as NodeJS.ErrnoException;
  // Of the operating system: a file that isn't there, a disk that is full.
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? { line: message, code: exitCodes.failed } : undefined;
}

function adviceOn(error: ConcordClientError): string {
  const { message, reason, code } = error;
  if (error instanceof TransportError && (reason === 'network' || reason === 'timeout')) {
    return `${message}. 'concord start' starts a Concord here; --url or CONCORD_URL name another's address.`;
  }
  // The service tells credentials that it doesn't take by this code.
  if (error instanceof InvalidRequestError && reason !== undefined) {
    return `${message}. Put a key into CONCORD_API_KEY or a token into CONCORD_TOKEN.`;
  }
  return code === undefined ? message : `${message} (${code}${reason === undefined ? '' : `, ${reason}`})`;
}
