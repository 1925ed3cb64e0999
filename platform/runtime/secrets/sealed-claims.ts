import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';

/** Encrypted claims that can pass through the browser or another service without being read or changed. */
export interface SealedClaims<T extends JWTPayload> {
  seal(claims: T): Promise<string>;
  /** Undefined when the value is foreign, changed or expired. */
  open(sealed: string): Promise<T | undefined>;
}

/** The first key encrypts, all keys decrypt. Use separate keys for each purpose. */
export function makeSealedClaims<T extends JWTPayload>(
  keys: readonly [Uint8Array, ...Uint8Array[]],
  lifetimeSeconds: number,
): SealedClaims<T> {
  return {
    seal: (claims) =>
      new EncryptJWT(claims)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${lifetimeSeconds} seconds`)
        .encrypt(keys[0]),
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
