import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Of AES-256-GCM, in bytes; NIST SP 800-38D, section 8.2.2. */
const nonceBytes = 12;
const tagBytes = 16;

/** A text that was encrypted. */
export interface Sealed {
  /** Nonce, tag and text, in base64url. */
  sealed: string;
  /** Which key it is encrypted under. */
  keyId: string;
}

interface SealingKey {
  id: string;
  key: Buffer;
}

/** Encrypts texts under the first of some secrets, and decrypts them under whichever they were encrypted. */
export class Seal {
  private readonly keys: SealingKey[];

  /** @param secrets one at least */
  constructor(secrets: readonly string[]) {
    const derived = (secret: string, info: string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, '', `concord agent credentials ${info}`, length));
    this.keys = secrets.map((secret) => ({
      id: derived(secret, 'key id', 8).toString('hex'),
      key: derived(secret, 'key', 32),
    }));
  }

  /** @param whose what it belongs to: of something else it cannot be opened */
  close(text: string, whose: readonly string[]): Sealed {
    const [first] = this.keys;
    if (!first) throw new Error('There is no key to seal with');
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(bound(whose));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url'), keyId: first.id };
  }

  /** @returns undefined where its key isn't among the secrets @throws Error where it was changed, or is of another */
  open({ sealed, keyId }: Sealed, whose: readonly string[]): string | undefined {
    const found = this.keys.find(({ id }) => id === keyId);
    if (!found) return undefined;
    const bytes = Buffer.from(sealed, 'base64url');
    const nonce = bytes.subarray(0, nonceBytes);
    const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
    const decipher = createDecipheriv('aes-256-gcm', found.key, nonce, { authTagLength: tagBytes });
    decipher.setAuthTag(tag).setAAD(bound(whose));
    const body = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    return Buffer.concat([body, decipher.final()]).toString('utf8');
  }
}

const bound = (whose: readonly string[]) => Buffer.from(JSON.stringify(whose));
