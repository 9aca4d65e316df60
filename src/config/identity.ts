import { z } from 'zod';

const list = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.string().min(1, 'holds an empty entry')).min(1));

/** The settings of identities, by the names of their environment variables; a part of those in `config.ts`. */
export const identitySettings = {
  JWT_SECRET: z.string().optional(),
  JWT_PUBLIC_KEY: z.string().optional(),
  JWT_JWKS_URL: z.url().optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: list.optional(),
  JWT_CLOCK_SKEW_SECONDS: z.coerce.number().int().min(0).max(300).default(30),
  JWT_TENANT_CLAIM: z.string().default('tenant'),
  JWT_AGENT_CLAIM: z.string().default('sub'),
  JWT_SCOPE_CLAIM: z.string().default('scope'),
  JWT_GRAPHS_CLAIM: z.string().default('graphs'),
  API_KEYS: z.stringbool().default(false),
  TENANTS: list.transform((tenants) => new Set(tenants)).optional(),
};

const shape = z.object(identitySettings);
export type IdentitySettings = z.output<typeof shape>;
