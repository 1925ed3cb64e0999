import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';

/** Claims that travel through the browser or another service without anybody reading or changing them on the way. */
export interface SealedClaims<T extends JWTPayload> {
  seal(claims: T): Promise<string>;
  /** Undefined when it is none of ours, changed, or too old. */
  open(sealed: string): Promise<T | undefined>;
}

/** The first key seals, all open; each purpose needs keys of its own. */
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
