import type { PublicConfig } from '#contract/members/identity.ts';
import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import type { Authenticate } from '#platform/http/chain/chain.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import {
  makeAuthenticateToken,
  tokenOf,
  type AuthenticateToken,
} from '#server/api-tokens/authenticate-token.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { authorizeUrl } from './provider/authorize-url.ts';
import type { CompleteSignInDeps } from './sign-in/complete-sign-in.ts';
import { makeUpsertUser, type UpsertUser } from './upsert-user.ts';
import { makeProviderClient } from './provider/client.ts';
import { makeProviderKeys } from './provider/keys/keys.ts';
import type { ProviderOptions } from './provider/metadata.ts';
import { makeShareRefresh } from './session/shared-refresh.ts';
import type { RefreshSessionDeps } from './session/refresh-session.ts';
import { deleteOldRefreshes } from './session/refresh-store.ts';
import type { SignOutDeps } from './session/sign-out.ts';
import { makeSignedOut, type SignedOut } from './session/signed-out.ts';
import { makeTokenCookies, type TokenCookies } from './tokens/token-cookies.ts';
import { makeTokenVerifier, type TokenVerifier } from './tokens/verify-tokens.ts';
import { InvalidToken } from './tokens/token-pair.ts';

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

interface AuthenticateDeps {
  upsertUser: UpsertUser;
  cookies: TokenCookies;
  verifier: TokenVerifier;
  signedOut: SignedOut;
  authenticateToken: AuthenticateToken;
}

/**
 * Identifies the caller by an API token or by the cookies of a session. A request with both is refused, because it is not
 * clear in whose name it acts.
 */
function makeAuthenticate(deps: AuthenticateDeps): Authenticate {
  const authenticateSession = makeAuthenticateSession(deps);
  return async (request) => {
    const token = tokenOf(request);
    if (token === undefined) return authenticateSession(request);
    if (Object.keys(deps.cookies.read(request)).length > 0) {
      throw new AppError('ambiguous_credentials', {
        detail: 'Send an API token or the cookies of a session, not both.',
      });
    }
    return deps.authenticateToken(request, token);
  };
}

/**
 * Reads the caller from the two tokens of a session. Every invalid token has the same result, so that callers learn
 * nothing from it.
 */
function makeAuthenticateSession({
  upsertUser,
  cookies,
  verifier,
  signedOut,
}: AuthenticateDeps): Authenticate {
  return async (request) => {
    const { accessToken, idToken } = cookies.read(request);
    if (accessToken === undefined || idToken === undefined) return undefined;
    const verified = await verifier.verify({ accessToken, idToken }).catch((error: unknown) => {
      if (!(error instanceof InvalidToken)) throw error;
      request.log.info({ reason: error.message }, 'session token refused');
      return undefined;
    });
    if (verified === undefined || signedOut.isSignedOut(verified)) return undefined;
    const { username, sessionId, email, isEmailVerified } = verified;
    const userId = await upsertUser(verified);
    return { userId, username, email: email ?? null, isEmailVerified, sessionId };
  };
}
