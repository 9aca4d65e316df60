import { ServerCredentials } from '@grpc/grpc-js';
import { type CertificateFiles, listenerTls } from '../../security/certificateFiles.ts';

/** TLS by files that may change: new connections get what they hold now. */
class ReloadedCredentials extends ServerCredentials {
  constructor(files: CertificateFiles) {
    const tls = listenerTls(files.current);
    super(tls, files.current);
    files.onChange((certificate) => this.updateSecureContextOptions({ ...tls, ...certificate }));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** @param certificates absent where gRPC is served without TLS */
export function serverCredentials(certificates: CertificateFiles | undefined): ServerCredentials {
  return certificates ? new ReloadedCredentials(certificates) : ServerCredentials.createInsecure();
}
