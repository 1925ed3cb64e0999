import { createHash, randomBytes } from 'node:crypto';

/** Token of an invitation link: 32 random bytes. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in hex, all that is stored of a token. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token is in the fragment, which browsers do not send, so that no log or proxy sees it. */
export function acceptUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/invitations/accept#token=${token}`;
}
