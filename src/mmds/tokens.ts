import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The shortest and longest lifetime of a token in seconds. */
export const TTL_SECONDS = { min: 1, max: 21_600 } as const;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const EXPIRY_BYTES = 8;
const TAG_BYTES = 16;
// 36 bytes in base64: no padding.
const FORM = /^[A-Za-z0-9+/]{48}$/;

/**
 * Issues and checks session tokens. As with Firecracker a token carries its own sealed expiry, so
 * that nothing is stored, however many are asked for; a key lives as long as this object.
 */
export class Tokens {
  readonly #key = randomBytes(32);
  readonly #now: () => number;

  /** @param now a monotonic clock, in ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param ttlSeconds the lifetime, within {@link TTL_SECONDS} */
  issue(ttlSeconds: number): string {
    const expiry = Buffer.alloc(EXPIRY_BYTES);
    expiry.writeDoubleLE(this.#now() + ttlSeconds * 1000);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    const sealed = Buffer.concat([cipher.update(expiry), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64');
  }

  /** Whether the token was issued here and its lifetime is not over. */
  isValid(token: string): boolean {
    if (!FORM.test(token)) return false;
    const bytes = Buffer.from(token, 'base64');
    const tagAt = NONCE_BYTES + EXPIRY_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(tagAt));
    try {
      const expiry = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES, tagAt)),
        decipher.final(),
      ]);
      return expiry.readDoubleLE() > this.#now();
    } catch {
      return false;
    }
  }
}
