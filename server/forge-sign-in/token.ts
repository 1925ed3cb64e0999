import { createHash } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { isSameSecret } from '#platform/runtime/secrets/same-secret.ts';
import type { CodeClaims, ForgeSignIn } from './forge-sign-in.ts';
import { OAuthError } from './oauth-error.ts';

const codeMaxChars = 512;
const idTokenSeconds = 300;
const defaultExpirySeconds = 3600;

export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  scope: string;
  expires_in: number;
  id_token: string;
}

/**
 * Exchanges one of our codes for the forge's token and an ID token. Authenticates the client before calling the forge, and never
 * returns the forge's refresh tokens.
 * @throws OAuthError, ForgeFailed
 */
export async function exchangeCode(signIn: ForgeSignIn, form: URLSearchParams): Promise<TokenAnswer> {
  for (const [name, values] of Map.groupBy(form, ([key]) => key))
    if (values.length > 1) throw new OAuthError(400, 'invalid_request', `The parameter ${name} is repeated`);
  checkClient(signIn, form);
  if (form.get('grant_type') !== 'authorization_code')
    throw new OAuthError(400, 'unsupported_grant_type', 'grant_type must be authorization_code');
  const claims = await openCode(signIn, form);
  const token = await signIn.forge.exchangeCode({
    code: claims.c,
    codeVerifier: signIn.verifierOf(claims.s),
  });
  if (token === undefined)
    throw new OAuthError(400, 'invalid_grant', 'The forge refused the code: it was used or has expired');
  const profile = await signIn.forge.readProfile(token.accessToken);
  if (profile === undefined)
    throw new OAuthError(400, 'invalid_grant', 'The forge did not return a profile for the token');
  return {
    access_token: token.accessToken,
    token_type: 'Bearer',
    scope: `openid ${token.scope}`.trim(),
    expires_in: token.expiresInSeconds ?? defaultExpirySeconds,
    id_token: await idToken(signIn, profile.sub, claims.n),
  };
}

/** Compares both in constant time, so that neither the answer nor its timing shows which one was wrong. */
function checkClient({ client }: ForgeSignIn, form: URLSearchParams): void {
  const isId = isSameSecret(form.get('client_id') ?? '', client.id);
  const isSecret = isSameSecret(form.get('client_secret') ?? '', client.secret);
  if (!isId || !isSecret) throw new OAuthError(401, 'invalid_client', 'client_id or client_secret is wrong');
}

async function openCode(signIn: ForgeSignIn, form: URLSearchParams): Promise<CodeClaims> {
  const code = form.get('code') ?? '';
  const claims = code.length > codeMaxChars ? undefined : await signIn.codes.open(code);
  if (claims === undefined) throw new OAuthError(400, 'invalid_grant', 'The code is invalid or has expired');
  if (form.get('redirect_uri') !== signIn.redirectUri)
    throw new OAuthError(400, 'invalid_grant', 'redirect_uri differs from that of the authorization request');
  const verifier = form.get('code_verifier');
  const challenge = verifier === null ? undefined : createHash('sha256').update(verifier).digest('base64url');
  if (challenge !== claims.h)
    throw new OAuthError(400, 'invalid_grant', 'code_verifier does not match the code_challenge');
  return claims;
}

async function idToken(signIn: ForgeSignIn, subject: string, nonce: string | undefined): Promise<string> {
  const { signing } = signIn.keys.current();
  const nowSeconds = Math.floor(signIn.clock() / 1000);
  return new SignJWT(nonce === undefined ? {} : { nonce })
    .setProtectedHeader({ alg: 'RS256', kid: signing.kid, typ: 'JWT' })
    .setIssuer(signIn.issuer)
    .setAudience(signIn.client.id)
    .setSubject(subject)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + idTokenSeconds)
    .sign(await importJWK(signing, 'RS256'));
}
