import type { ForgeSignIn } from './forge-sign-in.ts';
import { OAuthError } from './oauth-error.ts';
import type { ForgeProfile } from './profile.ts';

/** As long as the forge's tokens ever are (Gitea's are JWTs of some 850 characters); anything else never reaches it. */
const bearer = /^Bearer ([A-Za-z0-9_.-]{1,4096})$/i;

/**
 * Claims about whom the forge gave the token to. It counts in the header alone: addresses end up in logs.
 * @throws OAuthError, ForgeFailed
 */
export async function readUserInfo(
  signIn: ForgeSignIn,
  authorization: string | undefined,
): Promise<ForgeProfile> {
  const token = bearer.exec(authorization ?? '')?.[1];
  const profile = token === undefined ? undefined : await signIn.forge.readProfile(token);
  if (profile === undefined) throw new OAuthError(401, 'invalid_token', 'the forge does not know the token');
  return profile;
}
