import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time. Compares hashes, so that the length of the secret does not leak either. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
