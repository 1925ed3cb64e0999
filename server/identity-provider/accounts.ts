import { createHash } from 'node:crypto';
import type { AccountRow } from './account-store.ts';

/** The person that `forgewatch integration create` and the button of the demo page mean. */
export const demoName = 'Demo user';

const nameMaxChars = 60;

/**
 * Somebody made up for a trial: the demo user, or a further person by any name. Undefined for a name without a
 * character that can be seen.
 */
export function demoAccount(typed: string): AccountRow | undefined {
  const name = typed.replace(/\p{C}/gu, '').trim().slice(0, nameMaxChars);
  if (name === '') return undefined;
  const slug = slugOf(name);
  const isDemoUser = name === demoName || slug === 'demo';
  const nickname = isDemoUser ? 'demo' : slug;
  const subject = isDemoUser ? 'demo' : `demo-${slug}`;
  return {
    subject,
    source: 'demo',
    username: subject,
    name: isDemoUser ? demoName : name,
    nickname,
    // A domain that never exists: invitations can be tried, and no mail leaves.
    email: `${nickname}@demo.example`,
    is_email_verified: true,
    picture: null,
    forge_id: null,
  };
}

/** What the claims of the forge's shim say about somebody. */
interface ForgeClaims {
  sub: string;
  nickname?: string | undefined;
  name?: string | undefined;
  picture?: string | undefined;
  email?: string | undefined;
  email_verified?: boolean | undefined;
}

/** Somebody of the forge. Its host is in the name, since a number says who it is at one forge alone. */
export function forgeAccount(forgeUrl: string, claims: ForgeClaims): AccountRow {
  const subject = `${new URL(forgeUrl).host}_${claims.sub}`;
  return {
    subject,
    source: 'forge',
    username: subject,
    name: claims.name ?? null,
    nickname: claims.nickname ?? null,
    email: claims.email ?? null,
    is_email_verified: claims.email_verified === true,
    picture: claims.picture ?? null,
    forge_id: claims.sub,
  };
}

function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === '' ? createHash('sha256').update(name).digest('hex').slice(0, 8) : plain;
}

/** ID token claims, named as in Amazon Cognito, so that one reader serves both providers. */
export function idTokenClaimsOf(
  account: AccountRow,
  sessionId: string | undefined,
): Record<string, string | boolean | undefined> & { sub: string } {
  const known = {
    name: account.name,
    nickname: account.nickname,
    email: account.email,
    picture: account.picture,
    'custom:forge_id': account.forge_id,
  };
  return {
    sub: account.subject,
    'cognito:username': account.username,
    origin_jti: sessionId,
    email_verified: account.email === null ? undefined : account.is_email_verified,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
  };
}

export const idTokenClaimNames = [
  'sub',
  'cognito:username',
  'custom:forge_id',
  'email',
  'email_verified',
  'name',
  'nickname',
  'origin_jti',
  'jti',
  'picture',
];
