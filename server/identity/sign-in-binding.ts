import type { SignInCookie } from '#contract/identity.ts';
import { isSameSecret, readSignInState, type SignInState } from './sign-in-state.ts';

/** Whether this browser began the sign-in that comes back: its own one-time values, none, or not this browser. */
export type Binding = { kind: 'bound'; cookie: SignInCookie } | { kind: 'unbound' } | { kind: 'foreign' };

/**
 * a cookie must match; without one only a `state` that holds nothing but `redirect_url` passes, and
 * only where the operator allows it.
 */
export function bindingOf(
  state: SignInState,
  cookie: SignInCookie | undefined,
  mode: 'required' | 'optional',
): Binding {
  if (cookie !== undefined) return isOf(cookie, state) ? { kind: 'bound', cookie } : { kind: 'foreign' };
  return mode === 'optional' && state.n === undefined ? { kind: 'unbound' } : { kind: 'foreign' };
}

/** Whether the query is of the sign-in that the cookie remembers, however it ended. */
export function isAnswered(cookie: SignInCookie, query: URLSearchParams): boolean {
  const state = readSignInState(query.get('state') ?? '');
  return state !== undefined && isOf(cookie, state);
}

function isOf(cookie: SignInCookie, { n }: SignInState): boolean {
  return n !== undefined && isSameSecret(n, cookie.n);
}
