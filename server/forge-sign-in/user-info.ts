import type { ForgeSignIn } from './forge-sign-in.ts';
import { OAuthError } from './oauth-error.ts';
import type { ForgeProfile } from './profile.ts';

/** Longer than any forge's tokens: Gitea's are JWTs of about 850 characters. Anything else is refused without a call. */
const bearer = /^Bearer ([A-Za-z0-9_.-]{1,4096})$/i;

/**
 * Returns claims about the owner of the forge's token. Accepts the token only in the header, because URLs appear in logs.
 * @throws OAuthError, ForgeFailed
 */
export async function readUserInfo(
  signIn: ForgeSignIn,
  authorization: string | undefined,
): Promise<ForgeProfile> {
  const token = bearer.exec(authorization ?? '')?.[1];
  const profile = token === undefined ? undefined : await signIn.forge.readProfile(token);
  if (profile === undefined)
    throw new OAuthError(401, 'invalid_token', 'The forge does not accept the token');
  return profile;
}
