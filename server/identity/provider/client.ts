import * as openid from 'openid-client';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeAuthenticatedRequest } from './authenticate-client.ts';
import { discoverInBackground } from './discovery.ts';
import { providerFaultOf, refreshFaultOf, type ProviderFault } from './faults.ts';
import { isCognito, UnusableProvider, type ProviderOptions } from './metadata.ts';
import { explainRefusal } from './refusal.ts';

export interface Tokens {
  accessToken: string;
  idToken: string;
  /** Undefined when the one already there goes on to be valid. */
  refreshToken: string | undefined;
}

/** What came of asking the provider for tokens. They are not verified yet. */
export type TokenResult = { kind: 'tokens'; tokens: Tokens } | { kind: ProviderFault; cause: unknown };

export interface CodeExchange {
  code: string;
  /** Who the answer says it is from. */
  iss: string | undefined;
  codeVerifier: string | undefined;
  nonce: string | undefined;
}

/** This service as a client of the OpenID provider that people sign in at. */
export interface ProviderClient {
  /** Learns of the provider; one that is away is asked again in the background, a wrong one fails the start. */
  readonly service: Service;
  /** What the provider says about itself; asks it when nothing is known yet, and rejects while it is away. */
  metadata(): Promise<openid.ServerMetadata>;
  /** The same without waiting; undefined until it has answered once. */
  knownMetadata(): openid.ServerMetadata | undefined;
  exchangeCode(exchange: CodeExchange): Promise<TokenResult>;
  refresh(refreshToken: string): Promise<TokenResult>;
  /** False when the provider cannot revoke, or did not answer. */
  revoke(refreshToken: string): Promise<boolean>;
  /** Where the browser goes to end the session at the provider too; undefined when it has no such page. */
  signOutUrl(idToken: string | undefined): string | undefined;
}

export interface ProviderClientOptions extends ProviderOptions {
  log: Log;
  /** Redirect URI. It comes from the configuration alone, since a request can forge its Host header. */
  redirectUri: string;
  /** Where people land after they have signed out. */
  homeUrl: string;
}

export function makeProviderClient(options: ProviderClientOptions): ProviderClient {
  const provider = discoverInBackground(options, options.log);
  const authenticatedRequest = makeAuthenticatedRequest(provider, options);
  /** `secret`: what the request carries, which no log line may. */
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
    return { kind: 'invalid', cause: new Error('the identity provider gave no ID token') };
  if (accessToken.split('.').length !== 3) {
    const cause = new Error(
      'The access token of the identity provider is opaque. Set it to give signed (JWT) access tokens to this client.',
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
