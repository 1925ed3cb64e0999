import { createCipheriv, createDecipheriv, createHash, randomFillSync } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deriveKey } from './keys.ts';

/**
 * Seals bytes at rest with AES-256-GCM. `context` (table, owner, column) is authenticated with the bytes, so that a
 * value copied to another row does not open. Format: key id (4) | nonce (12) | tag (16) | ciphertext.
 */
export interface Sealer {
  seal(plain: Uint8Array, context: string): Buffer;
  /** @throws when the value was changed, belongs to another context, or its key is not configured. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** Both for what may have tens of MiB, in several turns of the event loop. */
  sealLarge(plain: Uint8Array, context: string): Promise<Buffer>;
  openLarge(sealed: Uint8Array, context: string): Promise<Buffer>;
  /** Opens a value part by part, from its first bytes on. @throws when its key is not configured. */
  opening(start: Uint8Array, context: string): Opening;
}

export interface Opening {
  /** How many of the first bytes belong to no part. */
  headerBytes: number;
  update(part: Uint8Array): Buffer;
  /** @throws when the value was changed or belongs to another context: what was opened is not to be trusted then. */
  finish(): void;
}

/** Of a large value so many bytes pass the cipher in one turn, within a millisecond. */
const bytesPerTurn = 512 * 1024;

const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = keyIdBytes + nonceBytes + tagBytes;

/** The first key seals, all open, so that a key can be replaced without a stop. */
export function makeSealer(masterKeys: readonly Buffer[]): Sealer {
  const keys = new Map<number, Buffer>();
  for (const master of masterKeys) keys.set(keyId(master), deriveKey(master, 'at-rest'));
  const first = masterKeys[0];
  if (first === undefined) throw new Error('a sealer needs at least one key');
  const currentId = keyId(first);
  const currentKey = deriveKey(first, 'at-rest');
  const nonces = nonceSource();

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

  function sealing(bytes: number, context: string) {
    const sealed = Buffer.allocUnsafe(headerBytes + bytes);
    sealed.writeUInt32BE(currentId, 0);
    const nonce = nonces();
    nonce.copy(sealed, keyIdBytes);
    const cipher = createCipheriv('aes-256-gcm', currentKey, nonce);
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

  function opening(start: Uint8Array, context: string): Opening {
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
}

/** GCM puts out as many bytes as it takes in. */
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
  return createHash('sha256').update('forgewatch/key-id').update(master).digest().readUInt32BE(0);
}

/** Random 96-bit nonces drawn 256 at a time: one call to the system's generator per message costs more than the cipher. */
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
