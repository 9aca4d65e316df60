import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuse } from '../../base/reasons.ts';

/** What Concord shows itself with to an agent; PEM. */
export interface ClientCertificate {
  cert: string;
  key: string;
  /** The authority of the agent's own certificate, in the place of the usual ones. */
  ca?: string;
}

/**
 * Reads a client certificate of a tenant, as a secret of Kubernetes lies in a folder. A tenant's are its own: who
 * registers an agent chooses the address that one is shown to.
 * @param folder of AGENT_CERTIFICATES; absent where there are none
 * @throws ConcordError `no-certificate`
 */
export async function clientCertificate(
  folder: string | undefined,
  tenant: string,
  name: string,
): Promise<ClientCertificate> {
  const place = [tenant, name].map(encodeURIComponent);
  if (folder === undefined || place.some((each) => each === '.' || each === '..' || each === '')) throw missing(name);
  const read = (file: string) => readFile(join(folder, ...place, file), 'utf8');
  try {
    const [cert, key, ca] = await Promise.all([
      read('tls.crt'),
      read('tls.key'),
      read('ca.crt').catch(() => undefined),
    ]);
    return { cert, key, ...(ca !== undefined && { ca }) };
  } catch (cause) {
    throw missing(name, cause);
  }
}

function missing(name: string, cause?: unknown) {
  return refuse('no-certificate', `There is no client certificate ${name} here`, {}, { cause });
}
