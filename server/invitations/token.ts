import { createHash, randomBytes } from 'node:crypto';

/** What an invitation's link holds: 32 random bytes. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in hex, all that is stored of a token. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** In the fragment, which browsers send to nobody: no log and no proxy sees the token. */
export function acceptUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/invitations/accept#token=${token}`;
}
