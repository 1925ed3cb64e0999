import type { PublicConfig } from '#contract/members/identity.ts';
import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import type { Authenticate } from '#platform/http/chain/chain.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeAuthenticateToken } from '#server/api-tokens/authenticate-token.ts';
import { makeAuthenticate } from './authenticate.ts';
import { authorizeUrl } from './provider/authorize-url.ts';
import type { CompleteSignInDeps } from './sign-in/complete-sign-in.ts';
import { makeUpsertUser } from './upsert-user.ts';
import { makeProviderClient } from './provider/client.ts';
import { makeProviderKeys } from './provider/keys/keys.ts';
import type { ProviderOptions } from './provider/metadata.ts';
import { makeShareRefresh } from './session/shared-refresh.ts';
import type { RefreshSessionDeps } from './session/refresh-session.ts';
import { deleteOldRefreshes } from './session/refresh-store.ts';
import type { SignOutDeps } from './session/sign-out.ts';
import { makeSignedOut } from './session/signed-out.ts';
import { makeTokenCookies } from './tokens/token-cookies.ts';
import { makeTokenVerifier } from './tokens/verify-tokens.ts';

export type SignInDeps = Pick<SharedDeps, 'db' | 'log' | 'clock' | 'config' | 'sealer' | 'listener'>;

/** All parts of sessions at one identity provider. */
export interface SignIn extends CompleteSignInDeps, RefreshSessionDeps, SignOutDeps {
  authenticate: Authenticate;
  /** What the web app needs to start a sign-in. `authorizeUrl` is null until the provider has answered. */
  publicConfig(): Pick<PublicConfig, 'clientId' | 'authorizeUrl'>;
  readonly services: readonly Service[];
  /** Services that call the provider. The built-in provider is reachable only when this process listens. */
  readonly providerServices: readonly Service[];
}

const refreshSweepMs = 60_000;
const daySeconds = 86_400;
/** Metadata and tokens take a few kilobytes, key sets with certificates some tens. */
const providerAnswerMaxBytes = 64 * 1024;

/** The identity provider of the settings. Undefined for the built-in one. */
export function configuredProvider(config: Config): ProviderOptions | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  return { issuer, clientId, clientSecret, fetch: boundedFetch(providerAnswerMaxBytes) };
}

/** The URL that the provider redirects to. */
export function callbackUrl(publicUrl: string): string {
  return `${publicUrl}/api/auth/callback`;
}

export function makeSignIn(deps: SignInDeps, options: ProviderOptions): SignIn {
  const { config, db, listener, log, clock, sealer } = deps;
  const { publicUrl, sessionMaxDays } = config;
  const { provider, keys, verifier } = makeVerification(deps, options);
  const signedOut = makeSignedOut({ db, listener, log, clock });
  const cookies = makeTokenCookies({
    prefix: config.cookiePrefix,
    maxAgeSeconds: sessionMaxDays * daySeconds,
  });
  const url = { clientId: options.clientId, redirectUri: callbackUrl(publicUrl), scopes: config.oidcScopes };
  return {
    db,
    log,
    clock,
    sealer,
    provider,
    verifier,
    signedOut,
    cookies,
    publicUrl,
    sessionMaxDays,
    binding: config.signInBinding,
    allowedOrigins: config.webOrigins,
    shareRefresh: makeShareRefresh({ db, sealer }),
    authenticate: makeAuthenticate({
      upsertUser: makeUpsertUser({ db, listener, clock, log, maxRole: config.forgeAppMemberRole }),
      cookies,
      verifier,
      signedOut,
      authenticateToken: makeAuthenticateToken({ db, clock }),
    }),
    publicConfig: () => {
      const endpoint = provider.knownMetadata()?.authorization_endpoint;
      return {
        clientId: options.clientId,
        authorizeUrl:
          endpoint === undefined
            ? null
            : authorizeUrl(endpoint, { ...url, extra: config.oidcAuthorizeParams ?? [] }),
      };
    },
    providerServices: [provider.service, keys.service],
    services: [
      ...signedOut.services,
      repeat(log, 'forget finished refreshes', refreshSweepMs, () => deleteOldRefreshes(db)),
    ],
  };
}

/** The client of the provider, its keys, and the checks of its tokens. */
function makeVerification({ config, log, clock }: SignInDeps, options: ProviderOptions) {
  const { publicUrl, sessionMaxDays } = config;
  const provider = makeProviderClient({
    ...options,
    log,
    redirectUri: callbackUrl(publicUrl),
    homeUrl: publicUrl,
  });
  const keys = makeProviderKeys({
    address: async () => (await provider.metadata()).jwks_uri ?? '',
    fetch: options.fetch,
    known: options.known?.keys,
    clock,
    log,
  });
  const verifier = makeTokenVerifier({
    provider,
    keys,
    clientId: options.clientId,
    clock,
    sessionMaxSeconds: sessionMaxDays * daySeconds,
  });
  return { provider, keys, verifier };
}
