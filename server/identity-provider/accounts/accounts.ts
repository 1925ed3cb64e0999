import { createHash } from 'node:crypto';
import { storableText } from '#platform/database/rows/storable-text.ts';
import type { ForgeProfile } from '#server/forge-sign-in/profile.ts';
import type { AccountRow } from './account-store.ts';

/** Name of the demo user, used by `forgewatch integration create` and the button of the demo page. */
export const demoName = 'Demo user';

const nameMaxChars = 60;

/**
 * An account of the demo sign-in: the demo user or a person of any other name. Undefined for a name without a visible
 * character.
 */
export function demoAccount(typed: string): AccountRow | undefined {
  const name = storableText(typed.replace(/\p{C}/gu, '').trim(), nameMaxChars);
  if (name === null) return undefined;
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
    // A reserved domain, so that invitations can be tried and no mail is delivered.
    email: `${nickname}@demo.example`,
    is_email_verified: true,
    picture: null,
    forge_id: null,
  };
}

/** The account of a person at the forge. Its key contains the forge's host, because two forges may use the same number. */
export function forgeAccount(forgeUrl: string, profile: ForgeProfile): AccountRow {
  const subject = `${new URL(forgeUrl).host}_${profile.sub}`;
  return {
    subject,
    source: 'forge',
    username: subject,
    name: profile.name,
    nickname: profile.nickname,
    email: profile.email ?? null,
    is_email_verified: profile.email_verified === true,
    picture: profile.picture ?? null,
    forge_id: profile.sub,
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
