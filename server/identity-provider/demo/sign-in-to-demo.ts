import type { FastifyReply, FastifyRequest } from 'fastify';
import { demoKeyCookieName, demoKeyCookiePath } from '#contract/members/identity.ts';
import { demoAccount, demoName } from '../accounts/accounts.ts';
import { upsertAccount } from '../accounts/account-store.ts';
import type { DemoKey } from './demo-key.ts';
import type { IdentityProvider } from '../identity-provider.ts';
import { demoKeyPage, demoPage, notConfiguredPage } from '../pages/pages.ts';

const wrongKey = 'This is not the key of the running server.';

/** Shows the demo sign-in to a browser that has the key, and a form for the key to others. */
export function showDemoPage(demoKey: DemoKey, request: FastifyRequest, reply: FastifyReply): string {
  const kept = request.cookies[demoKeyCookieName];
  if (kept === undefined) return demoKeyPage();
  return demoKey.matches(kept) ? demoPage() : refuseKey(reply);
}

/** Handles the forms of that page: the key, or the person to sign in. */
export async function signInToDemo(
  { running, demoKey, db }: IdentityProvider,
  form: URLSearchParams,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (demoKey === undefined) {
    reply.code(403);
    return notConfiguredPage();
  }
  const typed = form.get('key');
  const key = typed === null ? (request.cookies[demoKeyCookieName] ?? '') : keyIn(typed);
  if (!demoKey.matches(key)) return refuseKey(reply);
  // Not HttpOnly, because the web app replaces it with the key of a later start.
  if (typed !== null)
    reply.setCookie(demoKeyCookieName, key, { path: demoKeyCookiePath, secure: true, sameSite: 'strict' });
  if (!form.has('demo') && !form.has('name')) return reply.redirect(request.url, 303);
  const account = demoAccount(form.has('demo') ? demoName : (form.get('name') ?? ''));
  if (account === undefined) {
    reply.code(400);
    return demoPage('Enter a name.');
  }
  await upsertAccount(db, account);
  const { provider } = await running();
  const next = await provider.interactionResult(request.raw, reply.raw, {
    login: { accountId: account.subject },
  });
  return reply.redirect(next, 303);
}

function refuseKey(reply: FastifyReply): string {
  reply.code(401);
  return demoKeyPage(wrongKey);
}

/** People may paste the whole URL. */
function keyIn(typed: string): string {
  return /[?&]key=(\w+)/.exec(typed)?.[1] ?? typed.trim();
}
