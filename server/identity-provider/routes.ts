import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ErrorCode } from '#contract/errors.ts';
import { queryOf } from '#platform/http/chain/canonical-path.ts';
import type { RateLimit } from '#platform/http/chain/rate-limit.ts';
import { route, type Route } from '#server/route.ts';
import { upsertAccount } from './account-store.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { errors } from './library.ts';
import { pageHeaders, pageType } from './pages/page.ts';
import { errorPage, notConfiguredPage } from './pages/pages.ts';
import { showDemoPage, signInToDemo } from './demo/sign-in-to-demo.ts';

const Uid = Type.Object({ uid: Type.String({ maxLength: 64 }) });
const formMaxBytes = 4096;

/** Limits wrong demo keys; the right key is never limited. */
const wrongKeys: RateLimit = { perMinute: 10, by: 'address' };

/** The pages on which people say who they are. */
export function identityProviderRoutes(identityProvider: IdentityProvider): Route[] {
  const failurePage = (code: ErrorCode): string => `${identityProvider.publicUrl}/sign-in?error=${code}`;
  return [
    route({
      method: 'GET',
      path: '/oidc/interaction/:uid',
      access: 'everybody',
      summary: 'The page of the built-in identity provider on which people sign in',
      params: Uid,
      rateLimits: [{ perMinute: 120, by: 'address' }],
      refusalLimit: wrongKeys,
      failurePage,
      answer: { contentType: pageType },
      handle: async ({ request, reply }) =>
        showPage(identityProvider, request, reply, async () => signInPage(identityProvider, request, reply)),
    }),
    route({
      method: 'POST',
      path: '/oidc/interaction/:uid',
      access: 'everybody',
      summary: 'The form of that page',
      params: Uid,
      rawBodyMaxBytes: formMaxBytes,
      rateLimits: [{ perMinute: 120, by: 'address' }],
      refusalLimit: wrongKeys,
      failurePage,
      answer: { contentType: pageType },
      handle: async ({ body, request, reply }) =>
        showPage(identityProvider, request, reply, async () =>
          signInToDemo(identityProvider, new URLSearchParams(String(body)), request, reply),
        ),
    }),
    route({
      method: 'GET',
      path: '/oidc/forge',
      access: 'everybody',
      summary: 'Where people come back from the forge; leads to the sign-in that they began',
      query: Type.Object({ state: Type.Optional(Type.String()) }),
      rateLimits: [{ perMinute: 120, by: 'address' }],
      answer: { status: 303 },
      handle: async ({ query, request, reply }) => {
        const uid = /^([\w-]{1,64})\./.exec(query.state ?? '')?.[1] ?? 'unknown';
        const answer = new URL(request.raw.url ?? '', identityProvider.publicUrl).search;
        reply.redirect(`${identityProvider.issuer}/interaction/${uid}/forge${answer}`, 303);
      },
    }),
    route({
      method: 'GET',
      path: '/oidc/interaction/:uid/forge',
      access: 'everybody',
      summary: 'Ends a sign-in through the forge',
      params: Uid,
      query: Type.Object({}),
      rateLimits: [{ perMinute: 120, by: 'address' }],
      answer: { contentType: pageType },
      handle: async ({ request, reply }) =>
        showPage(identityProvider, request, reply, async () =>
          signInFromForge(identityProvider, request, reply),
        ),
    }),
  ];
}

/** Shows an error page when the sign-in has expired or belongs to another browser. */
async function showPage(
  { provider, allowedOrigins, publicUrl }: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: () => Promise<unknown>,
): Promise<unknown> {
  reply.headers(pageHeaders(allowedOrigins));
  try {
    await provider().interactionDetails(request.raw, reply.raw);
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    reply.code(400);
    return errorPage(
      'This sign-in is over',
      'It was begun in another browser, or more than ten minutes ago. Begin again.',
      publicUrl,
    );
  }
  return answer();
}

const upstreamCookie = 'forgewatch_upstream';

async function signInPage(
  identityProvider: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { demoKey, upstream, issuer, log, publicUrl } = identityProvider;
  if (upstream !== undefined) {
    const { uid } = request.params as { uid: string };
    try {
      const { url, kept } = await upstream.begin(uid);
      reply.setCookie(upstreamCookie, kept, upstreamCookieAttributes(issuer, uid));
      return await reply.redirect(url, 303);
    } catch (error) {
      log.warn({ err: error }, 'a sign-in through the forge could not begin');
      reply.code(502);
      return errorPage('The sign-in cannot begin', 'Try again in a minute.', publicUrl);
    }
  }
  return demoKey === undefined ? notConfiguredPage() : showDemoPage(demoKey, request, reply);
}

/** The cookie is limited to the pages of this sign-in. */
function upstreamCookieAttributes(issuer: string, uid: string) {
  const path = `${new URL(issuer).pathname}/interaction/${uid}`;
  return { path, httpOnly: true, secure: true, sameSite: 'lax', maxAge: 600 } as const;
}

async function signInFromForge(
  { provider, upstream, db, log, issuer }: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { uid } = request.params as { uid: string };
  const query = queryOf(request.raw.url ?? '');
  const answer = await upstream?.finish(query, request.cookies[upstreamCookie]);
  reply.clearCookie(upstreamCookie, upstreamCookieAttributes(issuer, uid));
  if (answer?.kind === 'failed') log.warn({ err: answer.cause }, 'a sign-in through the forge failed');
  if (answer?.kind === 'account') await upsertAccount(db, answer.account);
  const result =
    answer?.kind === 'account'
      ? { login: { accountId: answer.account.subject } }
      : { error: answer?.kind === 'denied' ? 'access_denied' : 'server_error' };
  return reply.redirect(await provider().interactionResult(request.raw, reply.raw, result), 303);
}
