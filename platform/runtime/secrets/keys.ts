import { hkdfSync } from 'node:crypto';

/** Derives a 32-byte key for one purpose from the master key, so that a value for one purpose is invalid for another. */
export function deriveKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `forgewatch/${purpose}`, 32));
}
