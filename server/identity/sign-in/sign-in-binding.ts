import type { SignInCookie } from '#contract/members/identity.ts';
import { isSameSecret } from '#platform/runtime/secrets/same-secret.ts';
import { readSignInState, type SignInState } from './sign-in-state.ts';

/** `compat` also accepts sign-ins that did not start in the web app; `strict` only those that this browser started. */
export type SignInBinding = 'compat' | 'strict';

/** `bound`: this browser started the sign-in. `unbound`: the sign-in has no one-time value. `foreign`: another browser started it. */
export type Binding = { kind: 'bound'; cookie: SignInCookie } | { kind: 'unbound' } | { kind: 'foreign' };

/**
 * A cookie must match: during a sign-in of the web app, no other answer is accepted. Without a cookie, only a `state` without a
 * one-time value is accepted, and only in mode `compat`.
 */
export function bindingOf(
  state: SignInState,
  cookie: SignInCookie | undefined,
  mode: SignInBinding,
): Binding {
  if (cookie !== undefined) return isOf(cookie, state) ? { kind: 'bound', cookie } : { kind: 'foreign' };
  return mode === 'compat' && state.n === undefined ? { kind: 'unbound' } : { kind: 'foreign' };
}

/** Whether the query answers the sign-in of the cookie, with success or an error. */
export function isAnswered(cookie: SignInCookie, query: URLSearchParams): boolean {
  const state = readSignInState(query.get('state') ?? '');
  return state !== undefined && isOf(cookie, state);
}

function isOf(cookie: SignInCookie, { n }: SignInState): boolean {
  return n !== undefined && isSameSecret(n, cookie.n);
}
