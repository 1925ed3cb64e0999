import { randomUUID } from 'node:crypto';
import type { Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider';
import type { Database } from '#platform/database/database.ts';
import { idTokenClaimNames, idTokenClaimsOf } from './accounts/accounts.ts';
import { findAccount, type AccountRow } from './accounts/account-store.ts';
import { errors, interactionPolicy } from './library.ts';
import { postgresAdapter } from './postgres-adapter.ts';
import { pageHeaders } from './pages/page.ts';
import { errorPage, confirmSignOutPage } from './pages/pages.ts';

export interface ConfigurationOptions {
  db: Database;
  issuer: string;
  publicUrl: string;
  allowedOrigins: readonly string[];
  clientId: string;
  clientSecret: string;
  cookieKeys: string[];
  sessionMaxDays: number;
  /** Whether accounts of this source may sign in. */
  mayUse(source: AccountRow['source']): boolean;
}

const scopes = 'openid email profile';
const hourSeconds = 3600;
const daySeconds = 86_400;

/** Configuration of `oidc-provider`: one client (this service), no consent page, signed access tokens. */
export function providerConfiguration(options: ConfigurationOptions, keys: readonly JWK[]): Configuration {
  const { db, issuer, publicUrl, clientId } = options;
  const sessionSeconds = options.sessionMaxDays * daySeconds;
  return {
    adapter: postgresAdapter(db),
    jwks: { keys: [...keys] },
    clients: [clientOf(options)],
    scopes: scopes.split(' '),
    claims: { openid: idTokenClaimNames, email: [], profile: [] },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    subjectTypes: ['public'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    cookies: cookiesOf(options),
    features: featuresOf(options),
    extraTokenClaims: (ctx, token) => ({
      username: (ctx.oidc.account as Partial<Account> | undefined)?.username,
      origin_jti: grantIdOf(token),
    }),
    findAccount: async (_ctx, subject, token) => accountOf(options, subject, grantIdOf(token)),
    loadExistingGrant: (ctx) => newGrant(ctx, clientId, publicUrl),
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    interactions: {
      policy: policy(),
      url: (_ctx, interaction) => `${issuer}/interaction/${interaction.uid}`,
    },
    clientBasedCORS: () => false,
    renderError: async (ctx, out) => {
      ctx.type = 'html';
      ctx.set(pageHeaders(options.allowedOrigins));
      ctx.body = errorPage('The sign-in failed', out.error_description ?? out.error, publicUrl);
    },
    ttl: {
      AccessToken: hourSeconds,
      IdToken: hourSeconds,
      AuthorizationCode: 60,
      Interaction: 600,
      Session: hourSeconds,
      Grant: sessionSeconds,
      // Counted from the sign-in, not from the last refresh.
      RefreshToken: (_ctx, token) => Math.max(1, sessionSeconds - ageOf(token.iiat)),
    },
  };
}

function cookiesOf({ cookieKeys, issuer }: ConfigurationOptions): Configuration['cookies'] {
  return {
    keys: cookieKeys,
    names: {
      session: 'forgewatch_provider',
      interaction: 'forgewatch_interaction',
      resume: 'forgewatch_resume',
    },
    long: { httpOnly: true, sameSite: 'lax', signed: true, path: new URL(issuer).pathname },
    short: { httpOnly: true, sameSite: 'lax', signed: true },
  };
}

function featuresOf(options: ConfigurationOptions): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    rpInitiatedLogout: signOutConfiguration(options),
    resourceIndicators: accessTokens(options.publicUrl),
  };
}

const ageOf = (sinceSeconds: number | undefined): number =>
  sinceSeconds === undefined ? 0 : Math.floor(Date.now() / 1000) - sinceSeconds;

function clientOf({ clientId, clientSecret, publicUrl }: ConfigurationOptions) {
  return {
    client_id: clientId,
    client_secret: clientSecret,
    client_name: 'Forgewatch',
    redirect_uris: [`${publicUrl}/api/auth/callback`],
    post_logout_redirect_uris: [publicUrl, `${publicUrl}/`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    require_auth_time: true,
  };
}

/** Access tokens are signed, valid for one hour, and only for this service. */
function accessTokens(publicUrl: string) {
  return {
    enabled: true,
    defaultResource: () => publicUrl,
    useGrantedResource: () => true,
    getResourceServerInfo: (_ctx: unknown, resource: string) => {
      if (resource !== publicUrl) throw new errors.InvalidTarget();
      return {
        scope: scopes,
        audience: publicUrl,
        accessTokenFormat: 'jwt' as const,
        accessTokenTTL: hourSeconds,
        jwt: { sign: { alg: 'RS256' as const } },
      };
    },
  };
}

interface Account {
  accountId: string;
  username: string;
}

async function accountOf(options: ConfigurationOptions, subject: string, grantId: string | undefined) {
  const account = await findAccount(options.db, subject);
  if (account === undefined || !options.mayUse(account.source)) return undefined;
  return {
    accountId: subject,
    username: account.username,
    claims: async () => ({ ...idTokenClaimsOf(account, grantId), jti: randomUUID() }),
  };
}

/** Every sign-in has its own grant. The ID of the grant identifies the session. */
async function newGrant(ctx: KoaContextWithOIDC, clientId: string, resource: string) {
  const accountId = ctx.oidc.session?.accountId;
  if (accountId === undefined) return undefined;
  const grant = new ctx.oidc.provider.Grant({ clientId, accountId });
  grant.addOIDCScope(scopes);
  grant.addResourceScope(resource, scopes);
  await grant.save();
  return grant;
}

function grantIdOf(token: unknown): string | undefined {
  const { grantId } = (token ?? {}) as { grantId?: unknown };
  return typeof grantId === 'string' ? grantId : undefined;
}

/** No consent prompt. A session whose account was deleted needs a new sign-in. */
function policy() {
  const { Check, base } = interactionPolicy;
  const prompts = base();
  prompts.remove('consent');
  prompts
    .get('login')
    ?.checks.add(
      new Check(
        'account_gone',
        'the account of this session is gone',
        (ctx) => ctx.oidc.session?.accountId !== undefined && ctx.oidc.account === undefined,
      ),
    );
  return prompts;
}

interface SignOutOptions {
  publicUrl: string;
  allowedOrigins: readonly string[];
}

/**
 * Sign-out at the built-in provider: immediate with an ID token of the session, otherwise after a confirmation page.
 */
function signOutConfiguration({ publicUrl, allowedOrigins }: SignOutOptions) {
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
