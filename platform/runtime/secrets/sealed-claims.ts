import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';
import { deriveKey } from './keys.ts';

/** Encrypted claims that can pass through the browser or another service without being read or changed. */
export interface SealedClaims<T extends JWTPayload> {
  seal(claims: T): Promise<string>;
  /** Undefined when the value is foreign, changed or expired. */
  open(sealed: string): Promise<T | undefined>;
}

/** The first key encrypts, all keys decrypt. A value for one purpose is invalid for another. */
export function makeSealedClaims<T extends JWTPayload>(
  masterKeys: readonly [Buffer, ...Buffer[]],
  purpose: string,
  lifetimeSeconds: number,
): SealedClaims<T> {
  const [first, ...others] = masterKeys;
  const current = deriveKey(first, purpose);
  const keys = [current, ...others.map((key) => deriveKey(key, purpose))];
  return {
    seal: (claims) =>
      new EncryptJWT(claims)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${lifetimeSeconds} seconds`)
        .encrypt(current),
    open: async (sealed) => {
      for (const key of keys) {
        const opened = await jwtDecrypt<T>(sealed, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
        }).catch(() => undefined);
        if (opened !== undefined) return opened.payload;
      }
      return undefined;
    },
  };
}
