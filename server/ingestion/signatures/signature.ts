import { createHmac, timingSafeEqual, type Hmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

const form = /^sha256=[0-9a-f]{64}$/;

/** Bytes that are hashed in one turn of the event loop, which takes less than a millisecond. */
const bytesPerTurn = 256 * 1024;

/**
 * True when `header` is the HMAC-SHA256 of these bytes. A signature is `sha256=` and 64 lower-case hex digits; a repeated header
 * arrives joined by a comma and is not one. Returns a promise for large bodies only.
 */
export function isSignedBy(secret: Buffer, body: Buffer, header: string): boolean | Promise<boolean> {
  const hmac = createHmac('sha256', secret);
  if (body.length <= bytesPerTurn) return isDigest(hmac.update(body), header);
  return updateInTurns(hmac, body).then(() => isDigest(hmac, header));
}

async function updateInTurns(hmac: Hmac, body: Buffer): Promise<void> {
  for (let at = 0; at < body.length; at += bytesPerTurn) {
    hmac.update(body.subarray(at, at + bytesPerTurn));
    await nextTurn();
  }
}

function isDigest(hmac: Hmac, header: string): boolean {
  return timingSafeEqual(hmac.digest(), Buffer.from(header.slice(7), 'hex'));
}

export function hasSignatureForm(header: string | string[] | undefined): header is string {
  return typeof header === 'string' && form.test(header);
}
