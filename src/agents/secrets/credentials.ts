import { z } from 'zod';
import { refuse } from '../../base/reasons.ts';
import type { Database } from '../../graph/database/database.ts';
import type { LeaseKey as AgentKey } from '../../graph/leases/leases.ts';
import type { AgentCredentials, AgentEndpoint } from '../../wire/agents.ts';
import { Seal, type Sealed } from './seal.ts';

/** What stands in a header. */
const shown = z
  .string()
  .min(1, 'is empty')
  .max(8_192, 'is longer than 8192 characters')
  .regex(/^[\x21-\x7e]+$/, 'has characters that no HTTP header can hold');

/** Credentials for an agent, as a registration gives them. */
export const credentials = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('bearer'), token: shown }),
  z.strictObject({
    scheme: z.literal('apiKey'),
    key: shown,
    header: z
      .string()
      .max(100, 'is longer than 100 characters')
      .regex(/^[\w-]+$/, 'is no name of a header')
      .optional(),
  }),
  z.strictObject({
    scheme: z.literal('mtls'),
    certificate: z
      .string()
      .max(200, 'is longer than 200 characters')
      .regex(/^[\w.-]+$/, 'has more than letters, digits, dots and hyphens'),
  }),
]) satisfies z.ZodType<AgentCredentials>;

/** Credentials as they are kept. */
export interface SealedCredentials extends Sealed {
  scheme: AgentCredentials['scheme'];
}

interface Kept {
  credentials: AgentCredentials;
  /** Whom they may be shown to: a card that changes doesn't have them sent elsewhere. */
  origins: string[];
}

const timeoutMs = 10_000;

/** The credentials that agents are called with. No method answers with them. */
export class CredentialKeeper {
  private readonly seal: Seal | undefined;

  /** @param secrets absent where none are taken */
  constructor(
    private readonly database: Database,
    secrets: readonly string[] | undefined,
  ) {
    this.seal = secrets && new Seal(secrets);
  }

  /**
   * Encrypts credentials for an agent as it is reached now.
   * @throws ConcordError `no-secrets-key`
   */
  sealed({ tenant, id }: AgentKey, given: AgentCredentials, endpoints: readonly AgentEndpoint[]): SealedCredentials {
    if (!this.seal) {
      throw refuse('no-secrets-key', 'Credentials for agents are not taken here: AGENT_SECRETS_KEY is not set');
    }
    const kept: Kept = { credentials: given, origins: [...new Set(endpoints.map(({ url }) => originOf(url)))] };
    return { scheme: given.scheme, ...this.seal.close(JSON.stringify(kept), [tenant, id]) };
  }

  /**
   * What an agent is called with at an address; undefined where there is nothing, it was meant for other origins, or the
   * key that it is encrypted under is gone.
   */
  async find({ tenant, id }: AgentKey, url: string): Promise<AgentCredentials | undefined> {
    const [row] = await this.database.run<Sealed>(
      'READ',
      `MATCH (c:AgentCredentials {tenant: $tenant, id: $id}) RETURN c.sealed AS sealed, c.keyId AS keyId`,
      { tenant, id },
      { timeout: timeoutMs },
    );
    const text = row && this.seal?.open(row, [tenant, id]);
    if (text === undefined) return undefined;
    const kept = JSON.parse(text) as Kept;
    return kept.origins.includes(originOf(url)) ? kept.credentials : undefined;
  }
}

/** Of a socket that of its service; what is no URL, as addresses of gRPC are, stands for itself. */
function originOf(url: string): string {
  const address = url.replace(/^ws/, 'http');
  return /^https?:/.test(address) && URL.canParse(address) ? new URL(address).origin : url;
}
