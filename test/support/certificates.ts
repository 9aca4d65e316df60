import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Makes a self-signed certificate for this machine by openssl.
 * @returns the paths of its files in the folder
 */
export function makeCertificate(folder: string, name: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert];
  const says = ['-days', '1', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...made, ...says], { stdio: 'pipe' });
  return { cert, key };
}
