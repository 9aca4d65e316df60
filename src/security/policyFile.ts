import { readFile } from 'node:fs/promises';
import { StartupError } from '../base/errors.ts';
import { Periodic } from '../base/periodic.ts';
import type { ClosedIris } from '../graph/names/closed.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Policy } from './policy.ts';
import type { Principal } from './principal.ts';

const everyMs = 1_000;

/**
 * The policy of a file, read again when the file changes. It is the text that is compared, so that it doesn't matter
 * how the file is replaced: rewritten, renamed over, or as Kubernetes swaps the symbolic links of a ConfigMap.
 */
export class PolicyFile {
  private readonly file: string;
  private readonly logger: Logger;
  private policy: Policy;
  /** What was last read, or why it could not be: each is acted on and logged once. */
  private last: string;
  private readonly looking: Periodic;

  private constructor(file: string, logger: Logger, text: string) {
    this.file = file;
    this.logger = logger;
    this.policy = Policy.parse(text);
    this.last = text;
    const onError = (err: unknown) => logger.error({ err, file }, 'the policy cannot be looked at');
    this.looking = new Periodic({ everyMs, work: () => this.look(), onError });
    this.looking.start();
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
    return this.looking.close();
  }

  /** What is faulty changes nothing: better the policy of before than none. */
  private async look(): Promise<void> {
    const read = await readFile(this.file, 'utf8').then(
      (text) => ({ text }),
      (error: Error) => ({ error }),
    );
    const seen = 'text' in read ? read.text : read.error.message;
    if (seen === this.last) return;
    this.last = seen;
    try {
      if ('error' in read) throw read.error;
      this.policy = Policy.parse(read.text);
      this.logger.info({ file: this.file }, 'the policy has changed');
    } catch (error) {
      this.logger.error(
        { file: this.file, reason: (error as Error).message },
        'the policy file is faulty; the policy of before still holds',
      );
    }
  }
}
