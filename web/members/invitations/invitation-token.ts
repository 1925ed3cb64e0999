const key = 'forgewatch.invitation';

/**
 * The invitation token from the URL fragment, or the one kept before sign-in. It is removed from the address and kept
 * in this tab, so that neither the history nor the identity provider receives it.
 */
export function readInvitation(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  try {
    if (given === null) return sessionStorage.getItem(key) ?? undefined;
    sessionStorage.setItem(key, given);
    history.replaceState(history.state, '', location.pathname);
    return given;
  } catch {
    // Storage may be disabled; the token then stays in the address or is missing.
    return given ?? undefined;
  }
}

export function forgetInvitation(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}
