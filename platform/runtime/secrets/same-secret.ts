import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time. Hashes have equal lengths, so the length of the secret does not show either. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
