import type { JWTPayload } from 'jose';

/** What a pair of verified tokens says of the person and their session. Copied field by field, never spread. */
export interface Identity {
  subject: string;
  username: string;
  /** Stays the same while the session is refreshed. */
  sessionId: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
  picture: string | undefined;
  forgeLogin: string | undefined;
}

export function identityOf(idToken: JWTPayload, accessToken: JWTPayload | undefined): Identity {
  const subject = stringClaim(idToken, 'sub') ?? '';
  const emailVerified = idToken['email_verified'];
  return {
    subject,
    username:
      (accessToken && stringClaim(accessToken, 'username')) ??
      stringClaim(idToken, 'cognito:username') ??
      subject,
    sessionId: sessionIdOf(idToken, subject),
    email: stringClaim(idToken, 'email'),
    // Cognito writes attributes that were mapped as text.
    isEmailVerified: emailVerified === true || emailVerified === 'true',
    name: stringClaim(idToken, 'name'),
    picture: stringClaim(idToken, 'picture'),
    forgeLogin: stringClaim(idToken, 'nickname') ?? stringClaim(idToken, 'preferred_username'),
  };
}

/** Cognito's name, the standard's, else what a refresh leaves unchanged. */
function sessionIdOf(idToken: JWTPayload, subject: string): string {
  return (
    stringClaim(idToken, 'origin_jti') ??
    stringClaim(idToken, 'sid') ??
    `${subject}@${String(idToken['auth_time'] ?? '')}`
  );
}

export function stringClaim(claims: JWTPayload, name: string): string | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(claims, name)?.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
