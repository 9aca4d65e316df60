import { z } from 'zod';
import { secretSetting } from './secretSetting.ts';

const text = z.string();

const list = text
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.string().min(1, 'holds an empty entry')).min(1));

/** The settings of identities, by the names of their environment variables; a part of those in `config.ts`. */
export const identitySettings = {
  API_KEYS: z.stringbool().default(false).describe('Take API keys (`concord keys`)'),
  JWT_SECRET: secretSetting('Shared secret of the tokens (HS*)'),
  JWT_PUBLIC_KEY: text.optional().describe('Public key of the tokens in PEM, or its file (RS*, PS*, ES*)'),
  JWT_JWKS_URL: z.url().optional().describe('Address of a key set for the tokens'),
  JWT_ISSUER: text.optional().describe('Issuer of the tokens; required with a key'),
  JWT_AUDIENCE: list.optional().describe('Audiences of the tokens, comma-separated; required with a key'),
  JWT_CLOCK_SKEW_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(30)
    .describe('How far the clock of the issuer may differ; at most 300'),
  JWT_TENANT_CLAIM: text.default('tenant').describe('Claim that names the tenant'),
  JWT_AGENT_CLAIM: text.default('sub').describe('Claim that names the agent'),
  JWT_SCOPE_CLAIM: text.default('scope').describe('Claim that holds the scopes'),
  JWT_GRAPHS_CLAIM: text.default('graphs').describe('Claim that holds the graphs'),
  CLIENT_CERTIFICATES: text
    .optional()
    .describe(
      'JSON file of who is meant by which certificate ([client certificates](security.md#client-certificates)). Read again when it changes',
    ),
  CLIENT_CERT_HEADER: z
    .stringbool()
    .default(false)
    .describe('Take the certificate of a caller from the header `Client-Cert` of `TRUSTED_PROXIES`'),
  TENANTS: list
    .transform((tenants) => new Set(tenants))
    .optional()
    .describe('Tenants that are served, comma-separated. Without it, any that credentials name'),
};

const shape = z.object(identitySettings);
export type IdentitySettings = z.output<typeof shape>;
