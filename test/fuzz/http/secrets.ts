import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { ApiKeyStore } from '../../../src/security/apiKeyStore.ts';
import { scopes } from '../../../src/security/principal.ts';
import { identities, tokenOf } from '../../support/identities.ts';
import { neo4jSettings, testDatabase } from '../../support/service.ts';
import type { marked } from './shot.ts';

/** Secrets of every kind, and where each was seen that it shouldn't be. */
export class Secrets {
  /** `a secret in a log`, with what stands around it. */
  readonly leaks: string[] = [];

  private constructor(
    /** What a service is told by its environment. */
    readonly settings: Record<string, string>,
    /** What stands for the placeholders in requests. */
    readonly credentials: Record<keyof typeof marked, string>,
    /** Texts that are found nowhere, by what they are. */
    private readonly marks: ReadonlyMap<string, string>,
  ) {}

  static async make(): Promise<Secrets> {
    const privateKey = () =>
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const secret = () => randomBytes(32).toString('base64url');
    const settings = {
      ...identities,
      API_KEYS: 'true',
      SUPPRESSION_KEY: secret(),
      AGENT_SECRETS_KEY: secret(),
      MODEL_KEY: secret(),
      MODEL_URL: 'http://127.0.0.1:9/v1',
      MODEL_NAME: 'fuzz',
      AGENT_CARD_KEY: privateKey(),
      AGENT_ENCRYPTION_KEY: privateKey(),
    };
    const database = testDatabase();
    const { key } = await new ApiKeyStore(database).create({ tenant: 'north', agentId: 'fuzz', scopes: [...scopes] });
    await database.close();
    const credentials = {
      token: tokenOf({ sub: 'fuzz', tenant: 'north' }, { expiresIn: '1d' }),
      apiKey: key,
      pushToken: secret(),
      agentToken: secret(),
    };
    const texts = { ...settings, ...credentials, NEO4J_PASSWORD: neo4jSettings.NEO4J_PASSWORD };
    const plain = new Set(['JWT_ISSUER', 'JWT_AUDIENCE', 'API_KEYS', 'MODEL_URL', 'MODEL_NAME']);
    const marks = Object.entries(texts).flatMap(([name, text]): [string, string][] =>
      plain.has(name) || (text ?? '').length < 8 ? [] : [[name, tellingPart(text)]],
    );
    return new Secrets(settings, credentials, new Map(marks));
  }

  /** Looks for secrets in what the service has let out. @param besides what may stand there */
  look(where: string, text: string, besides: readonly string[] = []): void {
    for (const [name, mark] of this.marks) {
      const at = besides.includes(name) ? -1 : text.indexOf(mark);
      if (at >= 0) this.leaks.push(`${name} in ${where}: ${text.slice(Math.max(0, at - 200), at + 20)}`);
    }
  }
}

/** Of a token the signature, of an API key its secret, of a PEM a line within. */
function tellingPart(text: string): string {
  if (text.startsWith('-----BEGIN')) return text.split('\n')[1]?.slice(20) ?? text;
  return text.split(/[._]/).pop() ?? text;
}
