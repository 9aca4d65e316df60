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

/**
 * Makes a certificate for a caller that an authority, made by `makeCertificate`, has signed.
 * @param subject as openssl has it: `/O=Acme/CN=nora`
 * @param san as openssl has it: `URI:spiffe://acme.example/nora`
 * @returns the paths of its files in the folder
 */
export function issueCertificate(
  folder: string,
  name: string,
  { by, subject, san }: { by: { cert: string; key: string }; subject: string; san?: string },
): { cert: string; key: string } {
  const [cert, key, request] = ['crt', 'key', 'csr'].map((ending) => join(folder, `${name}.${ending}`)) as Paths;
  const further = san === undefined ? [] : ['-addext', `subjectAltName=${san}`];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', request];
  execFileSync('openssl', ['req', '-new', ...made, '-subj', subject, ...further], { stdio: 'pipe' });
  const signed = ['-CA', by.cert, '-CAkey', by.key, '-CAcreateserial', '-copy_extensions', 'copy', '-days', '1'];
  execFileSync('openssl', ['x509', '-req', '-in', request, '-out', cert, ...signed], { stdio: 'pipe' });
  return { cert, key };
}

type Paths = [cert: string, key: string, request: string];
