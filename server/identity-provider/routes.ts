import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { route } from '#platform/http/route.ts';
import type { Route } from '#server/route.ts';
import { demoAccount, demoName } from './accounts.ts';
import { upsertAccount } from './account-store.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { errors } from './library.ts';
import { pageHeaders, pageType } from './page.ts';
import { demoPage, faultPage, nothingConfiguredPage } from './pages.ts';
import { isFromThisMachine } from './this-machine.ts';

const Uid = Type.Object({ uid: Type.String({ maxLength: 64 }) });
const formMaxBytes = 4096;

/** The pages on which people say who they are. */
export function identityProviderRoutes(identityProvider: IdentityProvider): Route[] {
  return [
    route({
      method: 'GET',
      path: '/oidc/interaction/:uid',
      access: 'everybody',
      summary: 'The page of the built-in identity provider on which people sign in',
      params: Uid,
      rateLimits: [{ perMinute: 120, by: 'address' }],
      answer: { contentType: pageType },
      handle: async ({ request, reply }) =>
        showPage(identityProvider, request, reply, async () => signInPage(identityProvider, request)),
    }),
    route({
      method: 'POST',
      path: '/oidc/interaction/:uid',
      access: 'everybody',
      summary: 'The form of that page',
      params: Uid,
      rawBodyMaxBytes: formMaxBytes,
      rateLimits: [{ perMinute: 120, by: 'address' }],
      answer: { contentType: pageType },
      handle: async ({ body, request, reply }) =>
        showPage(identityProvider, request, reply, async () =>
          signInToDemo(identityProvider, new URLSearchParams(String(body)), request, reply),
        ),
    }),
  ];
}

/** A sign-in that is over or of another browser is told as a page, since a person reads it. */
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
    return faultPage(
      'This sign-in is over',
      'It was begun in another browser, or more than ten minutes ago. Begin again.',
      publicUrl,
    );
  }
  return answer();
}

async function signInPage({ isDemo }: IdentityProvider, request: FastifyRequest): Promise<string> {
  return isDemo && isFromThisMachine(request.raw) ? demoPage() : nothingConfiguredPage();
}

async function signInToDemo(
  { provider, isDemo, db }: IdentityProvider,
  form: URLSearchParams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (!isDemo || !isFromThisMachine(request.raw)) {
    reply.code(403);
    return nothingConfiguredPage();
  }
  const account = demoAccount(form.has('demo') ? demoName : (form.get('name') ?? ''));
  if (account === undefined) {
    reply.code(400);
    return demoPage('Enter a name.');
  }
  await upsertAccount(db, account);
  const next = await provider().interactionResult(request.raw, reply.raw, {
    login: { accountId: account.subject },
  });
  return reply.redirect(next, 303);
}
