import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  RefreshedSession,
  signInCookieName,
  signInCookiePath,
  SignOutBody,
  signOutUrlHeader,
} from '#contract/members/identity.ts';
import { queryOf } from '#platform/http/chain/canonical-path.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';
import type { PersonKey } from './tokens/claims.ts';
import { completeSignIn, toCookieTokens } from './sign-in/complete-sign-in.ts';
import { refreshSession } from './session/refresh-session.ts';
import { isAnswered } from './sign-in/sign-in-binding.ts';
import type { SignIn } from './sign-in.ts';
import { readSignInCookie } from './sign-in/sign-in-state.ts';
import { signOut } from './session/sign-out.ts';
import { singleCookie } from './tokens/token-cookies.ts';

/** Routes that bring their own credentials: an authorization code or a refresh token. */
export const sessionPrefixes = ['/api/auth/callback', '/api/auth/refresh'];

/** Sign-in callback, refresh and sign-out. */
export function sessionRoutes(signIn: SignIn): Route[] {
  return [
    route('GET', '/api/auth/callback', {
      access: { verifiedBy: 'authorization-code' },
      summary:
        "Receive the identity provider's answer, set the session's cookies and redirect to the web app",
      query: callbackQuery,
      rateLimits: [{ perMinute: 20, by: 'address' }],
      failurePage: (code) => `${signIn.publicUrl}/sign-in?error=${code}`,
      isConfidential: true,
      errors: [
        'invalid_state',
        'missing_code',
        'sign_in_refused',
        'redirect_not_allowed',
        'sign_in_not_bound',
        'identity_provider_misconfigured',
        'identity_provider_failed',
        'identity_provider_unavailable',
      ],
      answer: { status: 302 },
      handle: async ({ request, reply }) => answerCallback(signIn, request, reply),
    }),
    route('POST', '/api/auth/refresh', {
      access: { verifiedBy: 'refresh-token' },
      summary: 'Renew the tokens of the session',
      // Each refresh token has its own limit too: `callsPerMinute` in session/refresh-store.ts.
      rateLimits: [{ perMinute: 60, by: 'address' }],
      isConfidential: true,
      errors: [
        'missing_refresh_token',
        'refresh_refused',
        'identity_provider_misconfigured',
        'identity_provider_unavailable',
      ],
      answer: { schema: RefreshedSession },
      handle: async ({ request, reply }) => answerRefresh(signIn, request, reply),
    }),
    route('POST', '/api/auth/logout', {
      access: 'any-session',
      summary: `End the session. The header ${signOutUrlHeader} has the sign-out page of the identity provider`,
      query: Type.Object({ everywhere: Type.Optional(Type.Literal('1')) }),
      body: SignOutBody,
      rateLimits: [{ perMinute: 60, by: 'address' }],
      isConfidential: true,
      errors: ['identity_provider_misconfigured', 'identity_provider_unavailable'],
      answer: { status: 204 },
      handle: async ({ query, body, request, reply }) => {
        const everywhere = query.everywhere === '1' || body.everywhere === true;
        return answerSignOut(signIn, request, reply, everywhere);
      },
    }),
  ];
}

/** Accepts any value: `readCallbackQuery` checks it, so that a failure leads the browser to the sign-in page. */
const callbackQuery = Type.Object({
  code: Type.Optional(Type.Unknown()),
  state: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
  iss: Type.Optional(Type.Unknown()),
});

async function answerCallback(signIn: SignIn, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const query = queryOf(request.raw.url ?? '');
  const value = singleCookie(request.headers.cookie ?? '', signInCookieName);
  const cookie = value === undefined ? undefined : readSignInCookie(value);
  // Only its own callback deletes the cookie, because two tabs may sign in at the same time.
  if (cookie !== undefined && isAnswered(cookie, query))
    reply.clearCookie(signInCookieName, { path: signInCookiePath, secure: true, sameSite: 'lax' });
  const presented = signIn.cookies.read(request);
  const { location, tokens, verified, isBound } = await completeSignIn(signIn, { query, cookie, presented });
  signIn.cookies.begin(reply, toCookieTokens(tokens));
  request.log.info(
    { audit: 'signed-in', ...personOf(verified), isBound, ip: request.ip },
    'person signed in',
  );
  reply.redirect(location, 302);
}

async function answerRefresh(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ expiresIn: number }> {
  signIn.cookies.clearAmbiguous(request, reply);
  const refreshed = await refreshSession(signIn, signIn.cookies.read(request));
  if (refreshed === undefined) {
    signIn.cookies.clear(reply);
    throw new AppError('refresh_refused', { detail: 'The session has ended. Sign in.' });
  }
  signIn.cookies.set(reply, toCookieTokens(refreshed.tokens));
  return { expiresIn: refreshed.expiresIn };
}

async function answerSignOut(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  everywhere: boolean,
): Promise<void> {
  const presented = signIn.cookies.read(request);
  if (Object.keys(presented).length === 0)
    throw new AppError('unauthenticated', { detail: 'This browser has no session.' });
  const { url, session } = await signOut(signIn, presented, everywhere);
  // Last: a failed sign-out keeps the cookies, so that the person can retry.
  signIn.cookies.clear(reply);
  const person = session === undefined ? {} : personOf(session);
  request.log.info({ audit: 'signed-out', ...person, everywhere, ip: request.ip }, 'person signed out');
  if (url !== undefined) reply.header(signOutUrlHeader, url);
}

/** Person in audit lines of the log. */
function personOf({ cognitoIdClaim, cognitoId }: PersonKey): PersonKey {
  return { cognitoIdClaim, cognitoId };
}
