import { hkdfSync } from 'node:crypto';

/**
 * A key for one purpose only, derived from the master key, so that a value made for one purpose can never
 * serve another. 32 bytes.
 */
export function deriveKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `forgewatch/${purpose}`, 32));
}
