import { readStored, store } from '../../api/stored.ts';

const key = 'forgewatch.invitation';

/**
 * The invitation token from the URL fragment, or the one kept before sign-in. It is removed from the address and kept
 * in this tab, so that neither the history nor the identity provider receives it.
 */
export function readInvitation(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return readStored('sessionStorage', key);
  if (store('sessionStorage', key, given)) history.replaceState(history.state, '', location.pathname);
  return given;
}

export function forgetInvitation(): void {
  store('sessionStorage', key, null);
}
