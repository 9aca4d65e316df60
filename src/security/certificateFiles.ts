import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Rereading } from './rereading.ts';

/** What listeners identify themselves by, in PEM. */
export interface Certificate {
  /** With the certificates between it and its root. */
  cert: string;
  key: string;
  /** The authorities that certificates of callers come from; absent where callers aren't asked for any. */
  ca?: string | undefined;
}

const baseTls = {
  minVersion: 'TLSv1.2',
  /** Milliseconds that a handshake may take. */
  handshakeTimeout: 10_000,
} as const;

/**
 * What every listener over TLS is told beside its certificate. Who has no certificate, or one of another authority, is
 * let in as far as without one: it may have a token.
 */
export function listenerTls({ ca }: Pick<Certificate, 'ca'>) {
  return { ...baseTls, ...(ca !== undefined && { requestCert: true, rejectUnauthorized: false }) };
}

const lookMs = 1_000;

type Files = Pick<Config, 'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'TLS_CLIENT_CA_FILE'>;
type OwnFiles = Files & Required<Pick<Files, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>>;

/** The certificate and its key, read again when the files change. What is faulty changes nothing. */
export class CertificateFiles {
  /** As of now. */
  current: Certificate;
  private readonly listeners: ((certificate: Certificate) => void)[] = [];
  private readonly rereading: Rereading<Certificate>;

  private constructor(
    files: OwnFiles,
    private readonly logger: Logger,
    certificate: Certificate,
    everyMs: number,
  ) {
    this.current = certificate;
    this.rereading = new Rereading(certificate, {
      read: () => read(files),
      textOf,
      use: (found) => this.use(usable(found)),
      onFault: (reason) => logger.error({ reason }, 'the new certificate cannot be used; that of before still holds'),
      onError: (err) => logger.error({ err }, 'the certificate cannot be looked at'),
      isPatient: true,
      everyMs,
    });
    this.warnOfTime();
  }

  /**
   * @returns undefined where none is set
   * @throws StartupError that says what is wrong with which file
   */
  static async open(
    { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE }: Files,
    logger: Logger,
    everyMs = lookMs,
  ): Promise<CertificateFiles | undefined> {
    if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined;
    const files = { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE };
    try {
      return new CertificateFiles(files, logger, usable(await read(files)), everyMs);
    } catch (error) {
      throw new StartupError((error as Error).message, { cause: error });
    }
  }

  /** Tells a listener on a port, which is closed before this is, of each certificate that comes. */
  onChange(listener: (certificate: Certificate) => void): void {
    this.listeners.push(listener);
  }

  close(): Promise<void> {
    return this.rereading.close();
  }

  private use(certificate: Certificate): void {
    if (textOf(certificate) === textOf(this.current)) return;
    this.current = certificate;
    for (const listener of this.listeners) listener(certificate);
    this.logger.info({ validTo: new X509Certificate(certificate.cert).validTo }, 'the certificate has changed');
    this.warnOfTime();
  }

  private warnOfTime(): void {
    const { validFrom, validTo } = new X509Certificate(this.current.cert);
    const now = Date.now();
    if (now > Date.parse(validTo)) this.logger.error({ validTo }, 'the certificate has expired');
    if (now < Date.parse(validFrom)) this.logger.error({ validFrom }, 'the certificate is not valid yet');
  }
}

const textOf = ({ cert, key, ca = '' }: Certificate) => `${cert}\n${key}\n${ca}`;

async function read({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE }: OwnFiles): Promise<Certificate> {
  const [cert, key, ca] = await Promise.all([
    readText('TLS_CERT_FILE', TLS_CERT_FILE),
    readText('TLS_KEY_FILE', TLS_KEY_FILE),
    TLS_CLIENT_CA_FILE === undefined ? undefined : readText('TLS_CLIENT_CA_FILE', TLS_CLIENT_CA_FILE),
  ]);
  return { cert, key, ca };
}

async function readText(setting: keyof Files, file = ''): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`${setting} cannot be read: ${error.message}`);
  });
}

/** @throws Error saying which of the two is no good; it tells nothing of the key */
function usable(certificate: Certificate): Certificate {
  const { cert, key, ca } = certificate;
  attempt('TLS_CERT_FILE holds no certificate in PEM', () => new X509Certificate(cert));
  attempt('TLS_CERT_FILE holds a certificate that cannot be used', () => createSecureContext({ cert }));
  attempt('TLS_KEY_FILE holds no private key in PEM that can be read without a passphrase', () =>
    createSecureContext({ key }),
  );
  attempt('The key of TLS_KEY_FILE is not that of the certificate of TLS_CERT_FILE', () =>
    createSecureContext({ ...baseTls, cert, key }),
  );
  if (ca !== undefined) attempt('TLS_CLIENT_CA_FILE holds no certificate in PEM', () => void new X509Certificate(ca));
  return certificate;
}

function attempt(fault: string, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    throw new Error(`${fault} (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`, { cause: error });
  }
}
