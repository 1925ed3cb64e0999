import { createHmac, timingSafeEqual } from 'node:crypto';

const form = /^sha256=[0-9a-f]{64}$/;

/**
 * True when `header` is the HMAC-SHA256 of exactly these bytes. Nothing but `sha256=` and 64 lower-case hex digits is a
 * signature: a repeated header arrives joined by a comma and has another form.
 */
export function isSignedBy(secret: Buffer, body: Buffer, header: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(header.slice(7), 'hex'));
}

export function hasSignatureForm(header: string | string[] | undefined): header is string {
  return typeof header === 'string' && form.test(header);
}
