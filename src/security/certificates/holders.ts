import type { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { isScope, type Principal, scopes, visibleGraphs } from '../principal.ts';
import { Unauthenticated } from '../refused.ts';

const name = z
  .string()
  .max(256)
  .refine((text) => text.trim() === text && text !== '' && text.isWellFormed(), 'is no name');

const holder = z
  .strictObject({
    /** The parts of the subject in their order, as `["O=Acme", "CN=nora"]`. */
    subject: z.array(name).min(1, 'is empty').optional(),
    /** One of the alternative names, as `URI:spiffe://acme.example/nora`. */
    san: name.optional(),
    tenant: name,
    agent: name,
    scopes: z.array(z.string().refine(isScope, `is none of ${scopes.join(', ')}`)),
    /** Absent means all graphs of the tenant. */
    graphs: z.array(name).optional(),
  })
  .refine(
    ({ subject, san }) => (subject === undefined) !== (san === undefined),
    'has both subject and san, or neither',
  );

const holders = z.array(holder);

/** What goes on without the request may do so for as long after it, at most: as with a token of an hour. */
const keptMs = 3_600_000;

/** Principals by the subject of a certificate, or by one of its alternative names. */
export class CertificateHolders {
  private constructor(
    private readonly byName: ReadonlyMap<string, z.output<typeof holder>>,
    private readonly now: () => number,
  ) {}

  /**
   * Reads the text of the file: JSON, as docs/security.md shows it.
   * @param now milliseconds since 1970
   * @throws Error with the path of each fault
   */
  static parse(text: string, now = Date.now): CertificateHolders {
    const { success, data, error } = holders.safeParse(JSON.parse(text));
    if (!success) throw new Error(error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
    const byName = new Map<string, z.output<typeof holder>>();
    for (const each of data) {
      const key = keyOf(each.subject ?? each.san ?? '');
      if (byName.has(key)) throw new Error(`${key} is there twice`);
      byName.set(key, each);
    }
    return new CertificateHolders(byName, now);
  }

  /**
   * Who is meant by a certificate; undefined where nobody is. The subject counts before the alternative names, and those
   * in their order.
   * It throws Unauthenticated where the certificate is over, or not yet valid: a connection outlives that.
   */
  holderOf(certificate: X509Certificate): Principal | undefined {
    const names = [certificate.subject?.split('\n') ?? '', ...alternativeNames(certificate.subjectAltName)];
    const found = names.flatMap((each) => this.byName.get(keyOf(each)) ?? [])[0];
    if (found === undefined) return undefined;
    const [from, to, now] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo), this.now()];
    if (now > to) throw new Unauthenticated('expired');
    if (now < from) throw new Unauthenticated('not-yet-valid');
    return {
      tenant: found.tenant,
      agentId: found.agent,
      scopes: new Set(found.scopes.filter(isScope)),
      ...(found.graphs && { graphs: visibleGraphs(found.graphs) }),
      expiresAt: Math.min(to, now + keptMs),
    };
  }
}

const keyOf = (names: string | string[]) => JSON.stringify(names);

/** `DNS:a, URI:"b, c"` → `['DNS:a', 'URI:b, c']`: Node quotes what could be taken for several. */
export function alternativeNames(text = ''): string[] {
  const names = text.match(/(?:[^",]|"(?:\\.|[^"\\])*")+/g) ?? [];
  return names.map((each) => each.trim().replace(/"(?:\\.|[^"\\])*"/g, (quoted) => JSON.parse(quoted)));
}
