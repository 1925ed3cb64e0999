import type { SignInCookie } from '#contract/identity.ts';
import { isSameSecret } from '#platform/runtime/secrets/same-secret.ts';
import { readSignInState, type SignInState } from './sign-in-state.ts';

/** `compat` also takes sign-ins that began outside of the web app; `strict` only those that this browser began. */
export type SignInBinding = 'compat' | 'strict';

/** Whether this browser began the sign-in that comes back: its own one-time values, none, or not this browser. */
export type Binding = { kind: 'bound'; cookie: SignInCookie } | { kind: 'unbound' } | { kind: 'foreign' };

/**
 * A cookie must match: while a sign-in of the web app is under way, no other answer counts. Without a cookie only a
 * `state` without a one-time value passes, and only in mode `compat`.
 */
export function bindingOf(
  state: SignInState,
  cookie: SignInCookie | undefined,
  mode: SignInBinding,
): Binding {
  if (cookie !== undefined) return isOf(cookie, state) ? { kind: 'bound', cookie } : { kind: 'foreign' };
  return mode === 'compat' && state.n === undefined ? { kind: 'unbound' } : { kind: 'foreign' };
}

/** Whether the query is of the sign-in that the cookie remembers, however it ended. */
export function isAnswered(cookie: SignInCookie, query: URLSearchParams): boolean {
  const state = readSignInState(query.get('state') ?? '');
  return state !== undefined && isOf(cookie, state);
}

function isOf(cookie: SignInCookie, { n }: SignInState): boolean {
  return n !== undefined && isSameSecret(n, cookie.n);
}
