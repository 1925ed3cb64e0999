import { signOutUrlHeader } from '#contract/members/identity.ts';
import { request } from '../api/client.ts';
import { session } from '../api/session/browser-session.ts';
import { personalTokens } from '../api-tokens/token-queries.ts';

/** Ends the session here and, if supported, at the identity provider. */
export async function signOut({
  everywhere,
  revokesTokens,
}: {
  everywhere: boolean;
  revokesTokens: boolean;
}): Promise<void> {
  // First: without a session nobody can revoke them, and a failure leaves both for another try.
  if (revokesTokens) await request(personalTokens, { method: 'DELETE' });
  const { headers } = await request('/api/auth/logout', { method: 'POST', body: { everywhere } });
  session.end();
  location.assign(headers.get(signOutUrlHeader) ?? '/sign-in');
}
