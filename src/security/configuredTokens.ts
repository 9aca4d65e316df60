import { StartupError } from '../base/errors.ts';
import type { IdentitySettings } from '../config/identity.ts';
import { type TokenRules, tokenVerifier, type VerifyToken } from './jwt.ts';
import { KeySet } from './keySet.ts';
import { type KeySource, pemKey, pemText, secretKey } from './verificationKey.ts';

/**
 * The verifier of tokens that the settings ask for; undefined when no key for them is set.
 * @param onError told when the key set of JWT_JWKS_URL cannot be had
 * @throws StartupError naming the setting that is wrong or missing
 */
export async function configuredTokens(
  settings: IdentitySettings,
  onError: (error: unknown) => void = () => {},
): Promise<VerifyToken | undefined> {
  const given = (['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWT_JWKS_URL'] as const).filter((name) => settings[name]);
  if (given.length === 0) return undefined;
  if (given.length > 1) throw new StartupError(`Set one of ${given.join(' and ')}: tokens are verified in one way`);
  const rules = rulesOf(settings);
  return tokenVerifier(await keysOf(settings, onError), rules);
}

function rulesOf(settings: IdentitySettings): TokenRules {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: [first, ...others] = [] } = settings;
  if (!issuer) throw new StartupError('Set JWT_ISSUER to the issuer (iss) of the tokens to take');
  if (!first) throw new StartupError('Set JWT_AUDIENCE to the audience (aud) that tokens for this Concord name');
  return {
    issuer,
    audience: [first, ...others],
    clockSkewSeconds: settings.JWT_CLOCK_SKEW_SECONDS,
    claims: {
      tenant: settings.JWT_TENANT_CLAIM,
      agent: settings.JWT_AGENT_CLAIM,
      scope: settings.JWT_SCOPE_CLAIM,
      graphs: settings.JWT_GRAPHS_CLAIM,
    },
  };
}

async function keysOf(settings: IdentitySettings, onError: (error: unknown) => void): Promise<KeySource> {
  const { JWT_SECRET: secret, JWT_PUBLIC_KEY: pem, JWT_JWKS_URL: url } = settings;
  if (url) return new KeySet(url, { onError });
  const key = secret ? secretKey(secret) : pemKey(await pemText('JWT_PUBLIC_KEY', pem ?? ''));
  return { find: () => key };
}
