import { randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import type { Configuration } from 'oidc-provider';

export interface IndependentProviderOptions {
  redirectUris: string[];
  postLogoutRedirectUris?: string[];
  accessTokenSeconds?: number;
}

const loginOf = (sub: string): string => sub.replace(/^sub-/, '');
const usernameOf = (sub: string): string => `Forge_${loginOf(sub)}`;

/** The person's ID token in Cognito's names; `origin_jti` stays the same while the session is refreshed. */
function claimsOf(sub: string, grantId: string | undefined) {
  return {
    sub,
    token_use: 'id',
    jti: randomUUID(),
    origin_jti: grantId,
    'cognito:username': usernameOf(sub),
    email: `${loginOf(sub)}@example.com`,
    email_verified: true,
    name: loginOf(sub),
    nickname: loginOf(sub),
    preferred_username: loginOf(sub),
  };
}

const idTokenClaims = Object.keys(claimsOf('', ''));

/** Claims as Amazon Cognito names them, and refresh tokens that are good for one use. */
export function configurationOf(
  self: { clientId: string; clientSecret: string },
  { redirectUris, postLogoutRedirectUris, accessTokenSeconds = 3600 }: IndependentProviderOptions,
  jwk: JWK,
): Configuration {
  return {
    clients: [
      {
        client_id: self.clientId,
        client_secret: self.clientSecret,
        redirect_uris: redirectUris,
        post_logout_redirect_uris: postLogoutRedirectUris ?? [],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        require_auth_time: true,
      },
    ],
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: idTokenClaims, email: [], profile: [] },
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async () => true },
      rpInitiatedLogout: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:forgewatch',
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'openid email profile',
          accessTokenFormat: 'jwt',
          accessTokenTTL: accessTokenSeconds,
          audience: self.clientId,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_ctx, token) => {
      const { accountId = '', grantId } = token as { accountId?: string; grantId?: string };
      return { token_use: 'access', username: usernameOf(accountId), origin_jti: grantId };
    },
    findAccount: (_ctx, sub, token) => ({
      accountId: sub,
      claims: async () => claimsOf(sub, (token as { grantId?: string } | undefined)?.grantId),
    }),
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    loadExistingGrant: async (ctx) => {
      const { client, session } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      grant.addResourceScope('urn:forgewatch', 'openid email profile');
      await grant.save();
      return grant;
    },
    pkce: { required: () => false },
    ttl: {
      AccessToken: accessTokenSeconds,
      IdToken: accessTokenSeconds,
      RefreshToken: 86_400,
      Session: 86_400,
      Grant: 86_400,
      Interaction: 600,
    },
  };
}
