const key = 'forgewatch.invitation';

/**
 * The token in the fragment of the page's address, or the one that was there before the person went to sign in. It is
 * taken out of the address at once and stays in this tab: neither history nor the identity provider gets it.
 */
export function readInvitation(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  try {
    if (given === null) return sessionStorage.getItem(key) ?? undefined;
    sessionStorage.setItem(key, given);
    history.replaceState(history.state, '', location.pathname);
    return given;
  } catch {
    // Storage may be forbidden: then it stays in the address, or is not there.
    return given ?? undefined;
  }
}

export function forgetInvitation(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept then.
  }
}
