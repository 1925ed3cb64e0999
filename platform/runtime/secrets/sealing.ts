import { createCipheriv, createDecipheriv, createHash, randomFillSync } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deriveKey } from './keys.ts';

/**
 * Encrypts data at rest with AES-256-GCM. `context` (table, owner, column) is authenticated with the data, so that a
 * value copied to another row does not decrypt. Format: key ID (4 bytes) | nonce (12) | tag (16) | ciphertext.
 */
export interface Sealer {
  seal(plain: Uint8Array, context: string): Buffer;
  /** @throws when the value was changed, belongs to another context, or its key is not configured. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** For values of up to tens of MiB: yield to the event loop. */
  sealLarge(plain: Uint8Array, context: string): Promise<Buffer>;
  openLarge(sealed: Uint8Array, context: string): Promise<Buffer>;
  /** Opens a value in parts, in order. @throws when its key is not configured. */
  opening(start: Uint8Array, context: string): Opening;
}

export interface Opening {
  /** Number of bytes at the start that must not be passed to `update`. */
  headerBytes: number;
  update(part: Uint8Array): Buffer;
  /** @throws when the value was changed or belongs to another context. Then discard the opened parts. */
  finish(): void;
}

/** Bytes per turn of the event loop, which takes less than a millisecond. */
const bytesPerTurn = 512 * 1024;

const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
/** Two sealed values with the same header are the same value, because nonces are random. */
export const headerBytes = keyIdBytes + nonceBytes + tagBytes;

/** The first key encrypts, all keys decrypt, so that a key can be rotated without downtime. */
export function makeSealer(masterKeys: readonly Buffer[]): Sealer {
  const keys = new Map<number, Buffer>();
  for (const master of masterKeys) keys.set(keyId(master), deriveKey(master, 'at-rest'));
  const first = masterKeys[0];
  if (first === undefined) throw new Error('a sealer needs at least one key');
  const current = { id: keyId(first), key: deriveKey(first, 'at-rest') };
  const nonces = nonceSource();
  const sealing = (bytes: number, context: string) => startSealing(current, nonces(), bytes, context);
  const opening = (start: Uint8Array, context: string) => startOpening(keys, start, context);
  return {
    seal: (plain, context) => {
      const { sealed, update, finish } = sealing(plain.length, context);
      update(plain).copy(sealed, headerBytes);
      finish();
      return sealed;
    },
    sealLarge: async (plain, context) => {
      const { sealed, update, finish } = sealing(plain.length, context);
      await updateInTurns(update, plain, sealed.subarray(headerBytes));
      finish();
      return sealed;
    },
    open: (sealed, context) => {
      const { update, finish } = opening(sealed, context);
      const plain = update(sealed.subarray(headerBytes));
      finish();
      return plain;
    },
    openLarge: async (sealed, context) => {
      const { update, finish } = opening(sealed, context);
      const plain = Buffer.allocUnsafe(sealed.length - headerBytes);
      await updateInTurns(update, sealed.subarray(headerBytes), plain);
      finish();
      return plain;
    },
    opening,
  };
}

function startSealing(
  { id, key }: { id: number; key: Buffer },
  nonce: Buffer,
  bytes: number,
  context: string,
) {
  const sealed = Buffer.allocUnsafe(headerBytes + bytes);
  sealed.writeUInt32BE(id, 0);
  nonce.copy(sealed, keyIdBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  return {
    sealed,
    update: (part: Uint8Array) => cipher.update(part),
    finish: () => {
      cipher.final();
      cipher.getAuthTag().copy(sealed, keyIdBytes + nonceBytes);
    },
  };
}

function startOpening(keys: ReadonlyMap<number, Buffer>, start: Uint8Array, context: string): Opening {
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.length);
  if (bytes.length < headerBytes) throw new Error('sealed value is too short');
  const key = keys.get(bytes.readUInt32BE(0));
  if (key === undefined) throw new Error('sealed with a key that ENCRYPTION_KEY does not list');
  const nonce = bytes.subarray(keyIdBytes, keyIdBytes + nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(keyIdBytes + nonceBytes, headerBytes));
  return {
    headerBytes,
    update: (part) => decipher.update(part),
    finish: () => void decipher.final(),
  };
}

/** The output of GCM has the same length as its input. */
async function updateInTurns(
  update: (part: Uint8Array) => Buffer,
  from: Uint8Array,
  to: Buffer,
): Promise<void> {
  for (let at = 0; at < from.length; at += bytesPerTurn) {
    update(from.subarray(at, at + bytesPerTurn)).copy(to, at);
    await nextTurn();
  }
}

function keyId(master: Buffer): number {
  return Number(`0x${keyIdOf(master)}`);
}

/** The start of each value that the key sealed, in hex. */
export function keyIdOf(master: Buffer): string {
  return createHash('sha256')
    .update('forgewatch/key-id')
    .update(master)
    .digest('hex')
    .slice(0, 2 * keyIdBytes);
}

/** Random 96-bit nonces, generated 256 at a time: one call per value would cost more than the encryption. */
function nonceSource(): () => Buffer {
  const pool = Buffer.allocUnsafe(nonceBytes * 256);
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    next += nonceBytes;
    return pool.subarray(next - nonceBytes, next);
  };
}
