import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { StartupError } from '../../base/errors.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Principal } from '../principal.ts';
import { Rereading } from '../rereading.ts';
import { CertificateHolders } from './holders.ts';

const everyMs = 1_000;

/** Who is meant by which certificate, by a file that is read again when it changes. What is faulty changes nothing. */
export class CertificateHoldersFile {
  private holders: CertificateHolders;
  private readonly rereading: Rereading<string>;

  private constructor(file: string, logger: Logger, first: string) {
    this.holders = CertificateHolders.parse(first);
    this.rereading = new Rereading(first, {
      read: () => readFile(file, 'utf8'),
      textOf: (text) => text,
      use: (text) => {
        this.holders = CertificateHolders.parse(text);
        logger.info({ file }, 'who holds which certificate has changed');
      },
      onFault: (reason) => logger.error({ file, reason }, 'CLIENT_CERTIFICATES is faulty; that of before still holds'),
      onError: (err) => logger.error({ err, file }, 'CLIENT_CERTIFICATES cannot be looked at'),
      isPatient: false,
      everyMs,
    });
  }

  /** @throws StartupError naming the file and each fault */
  static async open(file: string, logger: Logger): Promise<CertificateHoldersFile> {
    try {
      return new CertificateHoldersFile(file, logger, await readFile(file, 'utf8'));
    } catch (error) {
      throw new StartupError(`CLIENT_CERTIFICATES: ${file}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** As of now; see `CertificateHolders`. */
  holderOf(certificate: X509Certificate): Principal | undefined {
    return this.holders.holderOf(certificate);
  }

  close(): Promise<void> {
    return this.rereading.close();
  }
}
