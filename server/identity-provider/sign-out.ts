import type { KoaContextWithOIDC } from 'oidc-provider';
import { pageHeaders } from './pages/page.ts';
import { confirmSignOutPage, errorPage } from './pages/pages.ts';

export interface SignOutOptions {
  publicUrl: string;
  allowedOrigins: readonly string[];
}

/**
 * Sign-out at the built-in provider: immediate with an ID token of the session, otherwise after a confirmation page.
 */
export function signOutConfiguration({ publicUrl, allowedOrigins }: SignOutOptions) {
  return {
    enabled: true,
    logoutSource: async (ctx: KoaContextWithOIDC, form: string) => {
      const { session, entities } = ctx.oidc;
      const hint = (entities as { IdTokenHint?: { payload?: { sub?: unknown } } }).IdTokenHint;
      if (session !== undefined && hint?.payload?.sub === session.accountId) return endNow(ctx, publicUrl);
      ctx.set(pageHeaders(allowedOrigins));
      ctx.body = confirmSignOutPage(
        ctx.oidc.urlFor('end_session_confirm'),
        /name="xsrf" value="([0-9a-f]+)"/.exec(form)?.[1] ?? '',
      );
    },
    postLogoutSuccessSource: async (ctx: KoaContextWithOIDC) => {
      ctx.set(pageHeaders(allowedOrigins));
      ctx.type = 'html';
      ctx.body = errorPage('Signed out', 'Your session at the sign-in page has ended.', publicUrl);
    },
  };
}

/** The request carries an ID token of this session, so it cannot come from another site. */
async function endNow(ctx: KoaContextWithOIDC, publicUrl: string): Promise<void> {
  const { session, provider } = ctx.oidc;
  const target = (session?.state as { postLogoutRedirectUri?: string } | undefined)?.postLogoutRedirectUri;
  await session?.destroy();
  ctx.cookies.set(provider.cookieName('session'), null, {
    path: new URL(provider.issuer).pathname,
    signed: true,
  });
  ctx.status = 303;
  ctx.redirect(target ?? publicUrl);
  ctx.status = 303;
}
