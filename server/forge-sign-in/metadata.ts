import type { ForgeSignIn } from './forge-sign-in.ts';

/** The discovery document. It uses the configured URL only, because a request's Host header can be forged. */
export function discoveryDocument({ issuer }: ForgeSignIn) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid', 'read:user', 'user:email'],
    claims_supported: [
      'sub',
      'forge_id',
      'nickname',
      'preferred_username',
      'name',
      'picture',
      'profile',
      'email',
      'email_verified',
      'updated_at',
    ],
  };
}

/** The public keys: the signing one, the previous one and the next one. */
export function publicKeys({ keys }: ForgeSignIn) {
  return {
    keys: keys
      .current()
      .published.map(({ kty, n, e, kid }) => ({ kty, n, e, kid, use: 'sig', alg: 'RS256' })),
  };
}
