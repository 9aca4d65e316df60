import { type EncryptionKey, encryptionKey } from '../agents/envelopes/encryptionKey.ts';
import { countRefusal } from '../calls/refusals.ts';
import type { Database } from '../graph/database/database.ts';
import { ApiKeyStore } from '../security/apiKeyStore.ts';
import { apiKeyVerifier } from '../security/apiKeyVerifier.ts';
import { type Authenticate, createAuthenticator } from '../security/authenticator.ts';
import { CertificateFiles } from '../security/certificateFiles.ts';
import { CertificateHoldersFile } from '../security/certificates/holdersFile.ts';
import { configuredTokens } from '../security/configuredTokens.ts';
import type { VerifyToken } from '../security/jwt.ts';
import { keptRecaller, type RecallKept } from '../security/keptPrincipal.ts';
import { type Recall, recaller } from '../security/lastingIdentity.ts';
import { PolicyFile } from '../security/policyFile.ts';
import { localPrincipal } from '../security/principal.ts';
import { type SigningKey, signingKey } from '../security/signingKey.ts';
import { sparing } from '../telemetry/logger.ts';
import type { Foundation } from './foundation.ts';

/** Who may call, what is closed to whom, and what Concord signs and identifies itself with. */
export interface Identity {
  /** Whether callers need credentials; else everybody is the local principal. */
  required: boolean;
  tokens?: VerifyToken;
  /** Who is meant by the certificates of callers; absent where they mean nobody. */
  holders?: CertificateHoldersFile;
  policy?: PolicyFile;
  signingKey?: SigningKey;
  /** What others encrypt for Concord with. */
  encryptionKey?: EncryptionKey;
  /** What listeners identify themselves by; absent where they speak no TLS. */
  certificates?: CertificateFiles;
}

/**
 * Reads what the settings say of identities, before anything is started that takes long.
 * @throws StartupError
 */
export async function readIdentity({ config, logger, closing }: Foundation): Promise<Identity> {
  const { POLICY, AGENT_CARD_KEY, AGENT_ENCRYPTION_KEY, API_KEYS, CLIENT_CERTIFICATES } = config;
  const certificates = await CertificateFiles.open(config, logger);
  if (certificates) closing.add(certificates);
  const policy = POLICY === undefined ? undefined : closing.add(await PolicyFile.open(POLICY, logger));
  const tokens = await configuredTokens(config, sparing(logger, 'the key set of JWT_JWKS_URL cannot be had'));
  const holders =
    CLIENT_CERTIFICATES === undefined
      ? undefined
      : closing.add(await CertificateHoldersFile.open(CLIENT_CERTIFICATES, logger));
  return {
    required: tokens !== undefined || API_KEYS || holders !== undefined,
    ...(holders && { holders }),
    tokens,
    policy,
    ...(certificates && { certificates }),
    ...(AGENT_CARD_KEY !== undefined && { signingKey: await signingKey(AGENT_CARD_KEY) }),
    ...(AGENT_ENCRYPTION_KEY !== undefined && { encryptionKey: await encryptionKey(AGENT_ENCRYPTION_KEY) }),
  };
}

export function authenticator(
  { config, instruments }: Foundation,
  { required, tokens, holders }: Identity,
  database: Database,
): Authenticate {
  if (!required) return async () => localPrincipal;
  return createAuthenticator({
    tokens,
    apiKeys: config.API_KEYS ? apiKeyVerifier(new ApiKeyStore(database)) : undefined,
    holderOf: holders && ((certificate) => holders.holderOf(certificate)),
    tenants: config.TENANTS,
    refused: (error) => countRefusal(instruments, error),
  });
}

/** Looks up what the maker of something that lasts may do now. */
export function recall({ config }: Foundation, { required }: Identity, database: Database): Recall {
  return recaller({
    identities: required,
    ...(config.API_KEYS && { keys: new ApiKeyStore(database) }),
    tenants: config.TENANTS,
  });
}

/** Looks up what may be done for who has asked for something that goes on without the request. */
export function recallKept(foundation: Foundation, identity: Identity, database: Database): RecallKept {
  return keptRecaller(recall(foundation, identity, database), foundation.config.TENANTS, Date.now);
}
