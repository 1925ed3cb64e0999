import type { JWK } from 'jose';

/**
 * What this service would read from its own provider: `oidc-provider` publishes the same. So neither that library nor `fetch` is
 * loaded before the first sign-in.
 */
export function ownDocuments(issuer: string, published: () => readonly JWK[]) {
  return {
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/token/revocation`,
      end_session_endpoint: `${issuer}/session/end`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    },
    keys: () => ({ keys: published().map(publicPart) }),
  };
}

function publicPart({ kty, use, kid, alg, e, n }: JWK) {
  return { kty, use, kid, alg, e, n };
}
