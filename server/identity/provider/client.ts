import * as openid from 'openid-client';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { discoverInBackground, type BackgroundDiscovery } from './discovery.ts';
import { providerFaultOf, refreshFaultOf, type ProviderFault, isInvalidClient } from './faults.ts';
import { isCognito, UnusableProvider, type ProviderOptions, configurationOf } from './metadata.ts';
import { explainRefusal } from './refusal.ts';

export interface Tokens {
  accessToken: string;
  idToken: string;
  /** Undefined when the previous refresh token stays valid. */
  refreshToken: string | undefined;
}

/** Answer to a token request. The tokens are not verified yet. */
export type TokenResult = { kind: 'tokens'; tokens: Tokens } | { kind: ProviderFault; cause: unknown };

export interface CodeExchange {
  code: string;
  /** The issuer that the answer names (RFC 9207). */
  iss: string | undefined;
  codeVerifier: string | undefined;
  nonce: string | undefined;
}

/** Client of the OpenID provider where people sign in. */
export interface ProviderClient {
  /** Reads the provider's metadata. Retries in the background if the provider does not answer, and fails the start if it is unusable. */
  readonly service: Service;
  /** The provider's metadata. Requests it if it is not known yet, and rejects if the provider does not answer. */
  metadata(): Promise<openid.ServerMetadata>;
  /** The metadata without a request. Undefined until the provider has answered once. */
  knownMetadata(): openid.ServerMetadata | undefined;
  exchangeCode(exchange: CodeExchange): Promise<TokenResult>;
  refresh(refreshToken: string): Promise<TokenResult>;
  /** False when the provider cannot revoke tokens or did not answer. */
  revoke(refreshToken: string): Promise<boolean>;
  /** The provider's sign-out page. Undefined if it has none. */
  signOutUrl(idToken: string | undefined): string | undefined;
}

export interface ProviderClientOptions extends ProviderOptions {
  log: Log;
  /** Redirect URI. It comes from the configuration only, because a request can forge its Host header. */
  redirectUri: string;
  /** The page that the provider shows after the sign-out. */
  homeUrl: string;
}

export function makeProviderClient(options: ProviderClientOptions): ProviderClient {
  const provider = discoverInBackground(options, options.log);
  const authenticatedRequest = makeAuthenticatedRequest(provider, options);
  /** `secret` is the code or refresh token of the request. It is removed from the error. */
  const asking = async (
    secret: string,
    ask: (config: openid.Configuration) => Promise<TokenResponse>,
    faultOf: (error: unknown) => ProviderFault = providerFaultOf,
  ): Promise<TokenResult> => {
    try {
      return tokensOf(await authenticatedRequest(ask));
    } catch (error) {
      const secrets = [secret, options.clientSecret ?? secret];
      const kind = error instanceof UnusableProvider ? 'misconfigured' : faultOf(error);
      return { kind, cause: await explainRefusal(error, secrets) };
    }
  };
  return {
    service: provider.service,
    metadata: async () => provider.metadata() ?? (await provider.config()).serverMetadata(),
    knownMetadata: provider.metadata,
    exchangeCode: ({ code, iss, codeVerifier, nonce }) =>
      asking(code, (config) => {
        const answer = new URL(options.redirectUri);
        answer.searchParams.set('code', code);
        if (iss !== undefined) answer.searchParams.set('iss', iss);
        return openid.authorizationCodeGrant(config, answer, {
          ...(codeVerifier === undefined ? {} : { pkceCodeVerifier: codeVerifier }),
          ...(nonce === undefined ? {} : { expectedNonce: nonce }),
          idTokenExpected: true,
        });
      }),
    refresh: (refreshToken) =>
      asking(refreshToken, (config) => openid.refreshTokenGrant(config, refreshToken), refreshFaultOf),
    revoke: async (refreshToken) => {
      const config = provider.known();
      if (config?.serverMetadata().revocation_endpoint === undefined) return false;
      try {
        await authenticatedRequest((asked) =>
          openid.tokenRevocation(asked, refreshToken, { token_type_hint: 'refresh_token' }),
        );
        return true;
      } catch (error) {
        options.log.warn({ err: error }, 'refresh token not revoked');
        return false;
      }
    },
    signOutUrl: (idToken) => signOutUrl(provider.known(), options, idToken),
  };
}

type TokenResponse = Awaited<ReturnType<typeof openid.refreshTokenGrant>>;

function tokensOf(response: TokenResponse): TokenResult {
  const { access_token: accessToken, id_token: idToken, refresh_token: refreshToken } = response;
  if (idToken === undefined)
    return { kind: 'invalid', cause: new Error('the identity provider returned no ID token') };
  if (accessToken.split('.').length !== 3) {
    const cause = new Error(
      'The access token of the identity provider is opaque. Configure the provider to issue JWT access tokens to this client.',
    );
    return { kind: 'invalid', cause };
  }
  return { kind: 'tokens', tokens: { accessToken, idToken, refreshToken } };
}

function signOutUrl(
  config: openid.Configuration | undefined,
  { clientId, homeUrl }: ProviderClientOptions,
  idToken: string | undefined,
): string | undefined {
  const { issuer, end_session_endpoint: endpoint } = config?.serverMetadata() ?? {};
  if (config === undefined || issuer === undefined || endpoint === undefined) return undefined;
  if (isCognito(issuer)) {
    const url = new URL(endpoint);
    url.searchParams.set('client_id', clientId);
    url.searchParams.set('logout_uri', homeUrl);
    return url.href;
  }
  return openid.buildEndSessionUrl(config, {
    post_logout_redirect_uri: homeUrl,
    ...(idToken === undefined ? {} : { id_token_hint: idToken }),
  }).href;
}

/** Sends a request that authenticates this client to the provider. */
type AuthenticatedRequest = <T>(ask: (config: openid.Configuration) => Promise<T>) => Promise<T>;

/**
 * Sends the secret in HTTP Basic, percent-encoded as in RFC 6749. Gitea does not decode it and answers `invalid_client`. Then the
 * request is repeated with the secret in its body. The process remembers which way worked.
 */
function makeAuthenticatedRequest(
  provider: Pick<BackgroundDiscovery, 'config'>,
  options: ProviderOptions,
): AuthenticatedRequest {
  let inBody: openid.Configuration | undefined;
  return async (ask) => {
    if (inBody !== undefined) return ask(inBody);
    const config = await provider.config();
    try {
      return await ask(config);
    } catch (error) {
      const other = isInvalidClient(error) ? withSecretInBody(config.serverMetadata(), options) : undefined;
      if (other === undefined) throw error;
      try {
        const answer = await ask(other);
        inBody = other;
        return answer;
      } catch (second) {
        // An answer about the code or the refresh token means that the client was accepted.
        if (second instanceof openid.ResponseBodyError && !isInvalidClient(second)) inBody = other;
        throw second;
      }
    }
  };
}

/** Undefined without a secret, or if the provider does not support both ways of sending it. */
function withSecretInBody(
  metadata: openid.ServerMetadata,
  options: ProviderOptions,
): openid.Configuration | undefined {
  const methods = metadata.token_endpoint_auth_methods_supported;
  const isOpen =
    methods === undefined ||
    ['client_secret_basic', 'client_secret_post'].every((each) => methods.includes(each));
  if (options.clientSecret === undefined || !isOpen) return undefined;
  return configurationOf(metadata, options, openid.ClientSecretPost(options.clientSecret));
}
