import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ErrorCode } from '#contract/base/errors.ts';
import { queryOf } from '#platform/http/chain/canonical-path.ts';
import type { RateLimit } from '#platform/http/chain/rate-limit.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';
import { upsertAccount } from './accounts/account-store.ts';
import { forgeCallbackPath } from './accounts/forge-upstream.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { pageHeaders, pageType } from './pages/page.ts';
import { errorPage, notConfiguredPage } from './pages/pages.ts';
import { showDemoPage, signInToDemo } from './demo/sign-in-to-demo.ts';

const Uid = Type.Object({ uid: Type.String({ maxLength: 64 }) });
const formMaxBytes = 4096;

/** Limits wrong demo keys; the right key is never limited. */
const wrongKeys: RateLimit = { perMinute: 10, by: 'address' };

export const identityProviderPrefixes = [forgeCallbackPath];

/** The sign-in pages of the built-in provider, and the callback of the forge. */
export function identityProviderRoutes(identityProvider: IdentityProvider): Route[] {
  const failurePage = (code: ErrorCode): string => `${identityProvider.publicUrl}/sign-in?error=${code}`;
  return [
    route('GET', '/oidc/interaction/:uid', {
      access: 'everybody',
      summary: 'Get the sign-in page of the built-in identity provider',
      params: Uid,
      rateLimits: [{ perMinute: 120, by: 'address' }],
      refusalLimit: wrongKeys,
      failurePage,
      // Where the forge signs people in, the page is the forge's.
      answer: { contentType: pageType, redirect: 303 },
      handle: async ({ request, reply }) =>
        showPage(identityProvider, request, reply, async (uid) =>
          signInPage(identityProvider, uid, request, reply),
        ),
    }),
    route('POST', '/oidc/interaction/:uid', {
      access: 'everybody',
      summary: 'Submit the form of the sign-in page',
      params: Uid,
      rawBodyMaxBytes: formMaxBytes,
      rateLimits: [{ perMinute: 120, by: 'address' }],
      refusalLimit: wrongKeys,
      failurePage,
      answer: { contentType: pageType, redirect: 303 },
      handle: async ({ body, request, reply }) =>
        showPage(identityProvider, request, reply, async () =>
          signInToDemo(identityProvider, new URLSearchParams(String(body)), request, reply),
        ),
    }),
    route('GET', forgeCallbackPath, {
      access: { verifiedBy: 'authorization-code' },
      summary: "Receive the forge's answer and continue the sign-in",
      query: Type.Object({}),
      rateLimits: [{ perMinute: 120, by: 'address' }],
      failurePage,
      isConfidential: true,
      errors: ['forge_sign_in_not_configured', 'invalid_state'],
      answer: { status: 303 },
      handle: async ({ request, reply }) => answerForgeCallback(identityProvider, request, reply),
    }),
  ];
}

/** Calls `answer` with the sign-in of the browser. Shows an error page when it has expired or belongs to another browser. */
async function showPage(
  { running, allowedOrigins, publicUrl }: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: (uid: string) => Promise<unknown>,
): Promise<unknown> {
  reply.headers(pageHeaders(allowedOrigins));
  const { provider, isEnded } = await running();
  let uid: string;
  try {
    ({ uid } = await provider.interactionDetails(request.raw, reply.raw));
  } catch (error) {
    if (!isEnded(error)) throw error;
    reply.code(400);
    return errorPage(
      'This sign-in has ended',
      'It was started in another browser or more than ten minutes ago. Start again.',
      publicUrl,
    );
  }
  return answer(uid);
}

/** One cookie for each sign-in, because two tabs may sign in at the same time. */
const forgeCookie = (uid: string): string => `forge_sign_in_${uid}`;
const forgeCookieAttributes = {
  path: forgeCallbackPath,
  httpOnly: true,
  secure: true,
  sameSite: 'lax',
} as const;
const forgeCookieSeconds = 600;

async function signInPage(
  { demoKey, upstream }: IdentityProvider,
  uid: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (upstream === undefined)
    return demoKey === undefined ? notConfiguredPage() : showDemoPage(demoKey, request, reply);
  const { url, kept } = await upstream.begin(uid);
  reply.setCookie(forgeCookie(uid), kept, { ...forgeCookieAttributes, maxAge: forgeCookieSeconds });
  return reply.redirect(url, 303);
}

async function answerForgeCallback(
  { running, upstream, db, log }: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (upstream === undefined)
    throw new AppError('forge_sign_in_not_configured', {
      detail: 'FORGE_CLIENT_ID is not configured on this server.',
    });
  const query = queryOf(request.raw.url ?? '');
  const state = query.get('state') ?? '';
  const uid = /^[\w-]{1,64}$/.test(state) ? state : '';
  reply.clearCookie(forgeCookie(uid), forgeCookieAttributes);
  const answer = await upstream.finish(query, request.cookies[forgeCookie(uid)]);
  const { provider } = await running();
  const interaction = await provider.Interaction.find(uid);
  if (interaction === undefined)
    throw new AppError('invalid_state', { detail: 'The sign-in has ended. Start again.' });
  if (answer.kind === 'failed') log.warn({ err: answer.cause }, 'forge sign-in failed');
  if (answer.kind === 'account') await upsertAccount(db, answer.account);
  interaction.result =
    answer.kind === 'account'
      ? { login: { accountId: answer.account.subject } }
      : { error: answer.kind === 'denied' ? 'access_denied' : 'server_error' };
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
  reply.redirect(interaction.returnTo, 303);
}
