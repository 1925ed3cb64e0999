import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { queryOf } from '#platform/http/chain/canonical-path.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';
import { beginAtForge, returnToClient } from './authorize.ts';
import { ForgeFailed } from './forge-client.ts';
import { prefix, type ForgeSignIn } from './forge-sign-in.ts';
import { OAuthError } from './oauth-error.ts';
import { exchangeCode } from './token.ts';
import type { ForgeProfile } from './profile.ts';

export const publicPrefixes = [prefix];

const rateLimits = [{ perMinute: 1200, by: 'address' as const }];
const unconfigured = ['forge_sign_in_not_configured'] as const;
const anyQuery = Type.Object({});
const formMaxBytes = 16_384;

/** The endpoints of the forge as an OpenID provider. */
export function forgeSignInRoutes(configured: ForgeSignIn | undefined): Route[] {
  const use = (): ForgeSignIn => {
    if (configured === undefined)
      throw new AppError('forge_sign_in_not_configured', {
        detail: 'FORGE_CLIENT_ID is not configured on this server.',
      });
    return configured;
  };
  return [
    ...metadataRoutes(use),
    ...browserRoutes(use, configured?.failurePage),
    ...tokenRoutes(use),
    userInfoRoute(use, 'GET', 'userinfo'),
    userInfoRoute(use, 'POST', 'userinfo'),
    userInfoRoute(use, 'GET', 'user'),
    userInfoRoute(use, 'POST', 'user'),
  ];
}

/** The configured sign-in. Throws without one. */
type Use = () => ForgeSignIn;

function metadataRoutes(use: Use): Route[] {
  return [
    route('GET', `${prefix}.well-known/openid-configuration`, {
      access: 'public',
      summary: 'Get the OpenID provider metadata of the forge sign-in',
      rateLimits,
      errors: unconfigured,
      handle: async () => discoveryDocument(use()),
    }),
    route('GET', `${prefix}.well-known/jwks.json`, {
      access: 'public',
      summary: 'Get the keys that verify its ID tokens',
      rateLimits,
      errors: unconfigured,
      handle: async ({ reply }) => {
        reply.header('cache-control', 'public, max-age=300');
        return publicKeys(use());
      },
    }),
  ];
}

function browserRoutes(use: Use, failurePage: ForgeSignIn['failurePage'] | undefined): Route[] {
  return [
    route('GET', `${prefix}authorize`, {
      access: 'public',
      summary: 'Redirect the browser to the forge to sign in',
      query: anyQuery,
      rateLimits,
      isConfidential: true,
      errors: unconfigured,
      answer: { status: 302 },
      handle: async ({ request, reply }) => redirectToForge(use(), request, reply),
    }),
    route('GET', `${prefix}callback`, {
      access: { verifiedBy: 'authorization-code' },
      summary: "Receive the forge's answer and redirect to the client that started the sign-in",
      query: anyQuery,
      rateLimits,
      ...(failurePage && { failurePage }),
      isConfidential: true,
      errors: [...unconfigured, 'invalid_state'],
      answer: { status: 302 },
      handle: async ({ request, reply }) => handleCallback(use(), request, reply),
    }),
  ];
}

function tokenRoutes(use: Use): Route[] {
  return [
    route('POST', `${prefix}token`, {
      access: { verifiedBy: 'client-secret' },
      summary: 'Exchange a code for tokens',
      rawBodyMaxBytes: formMaxBytes,
      rateLimits,
      isConfidential: true,
      errors: unconfigured,
      oauthErrors: [400, 401, 502],
      handle: async ({ body, request, reply }) =>
        oauthAnswer(use(), reply, async () => exchangeCode(use(), formOf(request, body))),
    }),
    route('GET', `${prefix}token`, {
      access: 'public',
      summary: 'Refused, because URLs must not contain codes and secrets',
      query: anyQuery,
      rateLimits,
      errors: ['method_not_allowed'],
      handle: async ({ reply }) => {
        reply.header('allow', 'POST');
        throw new AppError('method_not_allowed', { detail: 'Send a form with POST.' });
      },
    }),
  ];
}

function userInfoRoute(use: Use, method: 'GET' | 'POST', path: string): Route {
  return route(method, `${prefix}${path}`, {
    access: { verifiedBy: 'forge-token' },
    summary: 'Get claims about the person that the token was issued to',
    rawBodyMaxBytes: formMaxBytes,
    rateLimits,
    isConfidential: true,
    errors: unconfigured,
    oauthErrors: [401, 502],
    handle: async ({ request, reply }) =>
      oauthAnswer(use(), reply, async () => readUserInfo(use(), request.headers.authorization)),
  });
}

const stateCookie = (state: string): string => `forge_${state}`;
const cookieAttributes = {
  path: `${prefix}callback`,
  httpOnly: true,
  secure: true,
  sameSite: 'lax' as const,
};
const cookieSeconds = 600;

async function redirectToForge(
  signIn: ForgeSignIn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { location, state, kept } = await beginAtForge(signIn, queryOf(request.raw.url ?? ''));
  reply.setCookie(stateCookie(state), kept, { ...cookieAttributes, maxAge: cookieSeconds });
  reply.redirect(location, 302);
}

async function handleCallback(
  signIn: ForgeSignIn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const query = queryOf(request.raw.url ?? '');
  const state = query.get('state') ?? '';
  const name = stateCookie(/^[\w-]{22}$/.test(state) ? state : '');
  reply.clearCookie(name, cookieAttributes);
  reply.redirect(await returnToClient(signIn, query, request.cookies[name]), 302);
}

function formOf(request: FastifyRequest, body: unknown): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
    throw new OAuthError(400, 'invalid_request', 'Send a form.');
  return new URLSearchParams(String(body));
}

/** Answers errors in OAuth format, without the forge's own message. */
async function oauthAnswer(
  { log }: ForgeSignIn,
  reply: FastifyReply,
  answer: () => Promise<unknown>,
): Promise<unknown> {
  reply.header('cache-control', 'no-store');
  try {
    return await answer();
  } catch (error) {
    const known = error instanceof ForgeFailed ? forgeUnavailable(log, error) : error;
    if (!(known instanceof OAuthError)) throw known;
    reply.code(known.status);
    if (known.error === 'invalid_token') reply.header('www-authenticate', 'Bearer error="invalid_token"');
    return { error: known.error, error_description: known.message };
  }
}

function forgeUnavailable(log: ForgeSignIn['log'], error: ForgeFailed): OAuthError {
  log.warn({ err: error }, 'forge sign-in request failed');
  return new OAuthError(502, 'temporarily_unavailable', 'The forge does not answer.');
}

/** Longer than any forge's tokens: Gitea's are JWTs of about 850 characters. Anything else is refused without a call. */
const bearer = /^Bearer ([A-Za-z0-9_.-]{1,4096})$/i;

/**
 * Returns claims about the owner of the forge's token. Accepts the token only in the header, because URLs appear in logs.
 * @throws OAuthError, ForgeFailed
 */
async function readUserInfo(signIn: ForgeSignIn, authorization: string | undefined): Promise<ForgeProfile> {
  const token = bearer.exec(authorization ?? '')?.[1];
  const profile = token === undefined ? undefined : await signIn.forge.readProfile(token);
  if (profile === undefined)
    throw new OAuthError(401, 'invalid_token', 'The forge does not accept the token');
  return profile;
}

/** The discovery document. It uses the configured URL only, because a request's Host header can be forged. */
function discoveryDocument({ issuer }: ForgeSignIn) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid', 'read:user', 'user:email'],
    claims_supported: [
      'sub',
      'forge_id',
      'nickname',
      'preferred_username',
      'name',
      'picture',
      'profile',
      'email',
      'email_verified',
      'updated_at',
    ],
  };
}

/** The public keys: the signing one, the previous one and the next one. */
function publicKeys({ keys }: ForgeSignIn) {
  return {
    keys: keys
      .current()
      .published.map(({ kty, n, e, kid }) => ({ kty, n, e, kid, use: 'sig', alg: 'RS256' })),
  };
}
