import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { identitySettings } from '../../src/config/identity.ts';
import { apiKeyText, newApiKey } from '../../src/security/apiKey.ts';
import { createAuthenticator } from '../../src/security/authenticator.ts';
import { configuredTokens } from '../../src/security/configuredTokens.ts';
import { metadataToken } from '../../src/security/metadataToken.ts';
import type { Principal } from '../../src/security/principal.ts';
import { recheck } from '../../src/security/recheck.ts';
import { IdentitiesUnavailable, Unauthenticated } from '../../src/security/refused.ts';
import { good, pemOf, rsa, rules, secret, token } from './tokens.ts';

const settings = (given: Record<string, string>) => z.object(identitySettings).parse(given);
const jwtSettings = { JWT_SECRET: secret, JWT_ISSUER: rules.issuer, JWT_AUDIENCE: rules.audience[0] };

async function authenticator(given: Record<string, string> = jwtSettings) {
  const reasons: string[] = [];
  const read = settings(given);
  const authenticate = createAuthenticator({
    tokens: await configuredTokens(read),
    tenants: read.TENANTS,
    refused: ({ reason }) => reasons.push(reason),
  });
  return { authenticate, reasons };
}

describe('credentials', () => {
  test('are taken from the header, or from metadata if there is none', async () => {
    const { authenticate, reasons } = await authenticator();
    const fromHeader = await authenticate({ authorization: `Bearer ${token()}` });
    expect(await authenticate({ authorization: `bearer  ${token()}` })).toEqual(fromHeader);
    expect(await authenticate({ metadataToken: token() })).toEqual(fromHeader);
    expect(reasons).toEqual([]);
  });

  test('may be given twice by one principal, as when a token was renewed', async () => {
    const { authenticate } = await authenticator();
    await authenticate({ authorization: `Bearer ${token()}`, metadataToken: token({ exp: good.exp + 60 }) });
  });

  test.each<[string, Record<string, unknown>]>([
    ['agent', { sub: 'other' }],
    ['tenant', { tenant: 'other' }],
    ['scopes', { scope: 'knowledge:query' }],
    ['graphs', { graphs: ['default'] }],
  ])('of two principals that differ in %s are refused', async (_, claims) => {
    const { authenticate } = await authenticator();
    const both = { authorization: `Bearer ${token()}`, metadataToken: token(claims) };
    await expect(authenticate(both)).rejects.toMatchObject({ status: 401, reason: 'credentials-differ' });
  });

  test('must all be good', async () => {
    const { authenticate } = await authenticator();
    const expired = token({ exp: 1 });
    for (const credentials of [
      { authorization: `Bearer ${token()}`, metadataToken: expired },
      { authorization: `Bearer ${expired}`, metadataToken: token() },
    ]) {
      await expect(authenticate(credentials)).rejects.toMatchObject({ reason: 'expired' });
    }
  });

  test.each([
    ['missing', {}],
    ['malformed', { authorization: '' }],
    ['malformed', { authorization: 'Bearer' }],
    ['malformed', { authorization: 'Bearer a b' }],
    ['malformed', { metadataToken: '' }],
    ['unsupported-scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['not-accepted', { apiKey: apiKeyText(newApiKey()) }],
    ['not-accepted', { authorization: `Bearer ${apiKeyText(newApiKey())}` }],
  ])('%s: %j', async (reason, credentials) => {
    const { authenticate, reasons } = await authenticator();
    await expect(authenticate(credentials)).rejects.toMatchObject({ status: 401, reason });
    expect(reasons).toEqual([reason]);
  });

  test("another tenant's are forbidden where the tenants are named", async () => {
    const { authenticate, reasons } = await authenticator({ ...jwtSettings, TENANTS: 'default, second' });
    await authenticate({ metadataToken: token({ tenant: 'second' }) });
    const foreign = authenticate({ metadataToken: token({ tenant: 'third' }) });
    await expect(foreign).rejects.toMatchObject({ status: 403, reason: 'tenant-not-allowed' });
    expect(reasons).toEqual(['tenant-not-allowed']);
  });

  test('that are refused tell how to do it, and nothing of what would be right', async () => {
    const { authenticate } = await authenticator();
    const refusal = await authenticate({ metadataToken: token({ iss: 'x' }) }).catch((error) => error);
    expect(refusal.challenge).toBe(
      'Bearer realm="concord", error="invalid_token", error_description="The token comes from another issuer"',
    );
    expect(JSON.stringify([refusal.message, refusal.data, refusal.challenge])).not.toContain(rules.issuer);
    expect(new Unauthenticated('missing').challenge).toBe('Bearer realm="concord"');
  });
});

describe('settings', () => {
  test('without a key there are no tokens', async () => {
    expect(await configuredTokens(settings({}))).toBeUndefined();
  });

  test('a PEM may be written on one line, and claims may have other names', async () => {
    const { authenticate } = await authenticator({
      JWT_PUBLIC_KEY: pemOf(rsa.publicKey).replaceAll('\n', '\\n'),
      JWT_ISSUER: rules.issuer,
      JWT_AUDIENCE: `else,${rules.audience[0]}`,
      JWT_TENANT_CLAIM: 'https://concord.example/tenant',
      JWT_AGENT_CLAIM: 'azp',
    });
    const claims = { tenant: undefined, sub: 'x', azp: 'crawler', 'https://concord.example/tenant': 'acme' };
    const text = token(claims, rsa.privateKey, 'RS256');
    expect(await authenticate({ metadataToken: text })).toMatchObject({ tenant: 'acme', agentId: 'crawler' });
  });

  test.each<[RegExp, Record<string, string>]>([
    [/Set one of JWT_SECRET and JWT_JWKS_URL/, { ...jwtSettings, JWT_JWKS_URL: 'https://issuer.example/keys' }],
    [/Set JWT_ISSUER/, { JWT_SECRET: secret, JWT_AUDIENCE: 'a' }],
    [/Set JWT_AUDIENCE/, { JWT_SECRET: secret, JWT_ISSUER: 'a' }],
    [/cannot be read/, { JWT_PUBLIC_KEY: '/no/such/file.pem', JWT_ISSUER: 'a', JWT_AUDIENCE: 'a' }],
  ])('%s', async (message, given) => {
    await expect(configuredTokens(settings(given))).rejects.toThrow(message);
  });
});

describe('the tokens of a body', () => {
  test('are found in metadata, whatever else the params are', () => {
    expect(metadataToken([])).toBeUndefined();
    expect(metadataToken([undefined, null, 7, [], {}, { metadata: null }, { metadata: [] }])).toBeUndefined();
    expect(metadataToken([{ metadata: { token: 'a' } }, { metadata: {} }, { metadata: { token: 'a' } }])).toBe('a');
  });

  test('must be one text', () => {
    const reasonOf = (tokens: unknown[]) => {
      try {
        return metadataToken(tokens.map((each) => ({ metadata: { token: each } })));
      } catch (error) {
        return (error as Unauthenticated).reason;
      }
    };
    expect(reasonOf(['a', 'b'])).toBe('credentials-differ');
    expect(reasonOf([null])).toBe('malformed');
    expect(reasonOf([{ a: 1 }])).toBe('malformed');
  });
});

test('a stream ends when its credentials do, and not for a database that is away', async () => {
  let fault: Error | undefined;
  let asked = 0;
  const principal = { tenant: 'default', scopes: new Set() } as Principal;
  const authenticate = async () => {
    asked += 1;
    if (fault) throw fault;
    return principal;
  };
  const told: string[] = [];
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const stop = recheck(authenticate, 5, (error) => told.push(error.reason));
  await until(() => asked > 1);
  fault = new IdentitiesUnavailable();
  const before = asked;
  await until(() => asked > before + 1);
  expect(told).toEqual([]);
  fault = new Unauthenticated('expired');
  await until(() => told.length > 0);
  const last = asked;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(told).toEqual(['expired']);
  expect(asked).toBe(last);
  stop();
});
