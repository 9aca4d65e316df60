import { readFile } from 'node:fs/promises';
import { StartupError } from '../base/errors.ts';
import type { ClosedIris } from '../graph/names/closed.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Policy } from './policy.ts';
import type { Principal } from './principal.ts';
import { Rereading } from './rereading.ts';

const everyMs = 1_000;

/**
 * The policy of a file, read again when the file changes. What is faulty changes nothing: better the policy of before
 * than none.
 */
export class PolicyFile {
  private policy: Policy;
  private readonly rereading: Rereading<string>;

  private constructor(file: string, logger: Logger, first: string) {
    this.policy = Policy.parse(first);
    this.rereading = new Rereading(first, {
      read: () => readFile(file, 'utf8'),
      textOf: (text) => text,
      use: (text) => {
        this.policy = Policy.parse(text);
        logger.info({ file }, 'the policy has changed');
      },
      onFault: (reason) =>
        logger.error({ file, reason }, 'the policy file is faulty; the policy of before still holds'),
      onError: (err) => logger.error({ err, file }, 'the policy cannot be looked at'),
      isPatient: false,
      everyMs,
    });
  }

  /** @throws StartupError naming the file and each fault */
  static async open(file: string, logger: Logger): Promise<PolicyFile> {
    try {
      return new PolicyFile(file, logger, await readFile(file, 'utf8'));
    } catch (error) {
      throw new StartupError(`POLICY: ${file}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** What is closed to a principal as of now. */
  closedTo(principal: Principal): ClosedIris | undefined {
    return this.policy.closedTo(principal);
  }

  close(): Promise<void> {
    return this.rereading.close();
  }
}
