import assert from 'node:assert/strict';
import { makeCookieClient } from './cookie-client.ts';
import { startOAuthForge, type ForgePerson, type OAuthForge } from './oauth-forge.ts';
import { startTestProgram, type TestProgram } from '#test/support/product/test-program.ts';

export interface ForgeSignIn {
  forge: OAuthForge;
  product: TestProgram;
  issuer: string;
  redirectUri: string;
  /** What the authorize address answers to a good request that is changed so. */
  authorize(changes?: Record<string, string>): Promise<Response>;
  /** Where the client is answered after somebody went to the forge and back. */
  comeBack(changes?: Record<string, string>): Promise<URL>;
  newCode(changes?: Record<string, string>): Promise<string>;
  token(form: Record<string, string>): Promise<Response>;
}

export const octocat: ForgePerson = {
  id: 583231,
  login: 'octocat',
  name: null,
  emails: [
    { email: 'other@example.com', primary: false, verified: true },
    { email: 'octocat@example.com', primary: true, verified: true },
  ],
};

/** Cognito's is long; forges refuse such a one from people with a second factor. */
export const longState = 'H4sIAAAA'.repeat(200);

/** The product as an OpenID provider for Cognito, in front of a forge. */
export async function startForgeSignIn(): Promise<ForgeSignIn> {
  const forge = await startOAuthForge('github');
  const redirectUri = 'https://pool.auth.eu-central-1.amazoncognito.com/oauth2/idpresponse';
  const product = await startTestProgram(
    {
      FORGE_URL: forge.url,
      FORGE_API_URL: `${forge.url}/api`,
      FORGE_CLIENT_ID: forge.clientId,
      FORGE_CLIENT_SECRET: forge.clientSecret,
      COGNITO_REDIRECT_URL: redirectUri,
    },
    ['api'],
  );
  const issuer = `${product.publicUrl}/api/auth/cognito`;
  const addressOf = (changes: Record<string, string>): URL => {
    const request = {
      client_id: forge.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid read:user user:email',
      state: longState,
    };
    return new URL(`${issuer}/authorize?${new URLSearchParams({ ...request, ...changes })}`);
  };
  const comeBack = async (changes: Record<string, string> = {}): Promise<URL> => {
    const browser = makeCookieClient();
    let url = addressOf(changes);
    while (url.origin !== new URL(redirectUri).origin) {
      const answer = await browser.fetch(url);
      assert.equal(answer.status, 302, `${url.pathname}: ${answer.status}`);
      url = new URL(answer.headers.get('location') ?? '', url);
    }
    return url;
  };
  return {
    forge,
    product,
    issuer,
    redirectUri,
    authorize: (changes = {}) => makeCookieClient().fetch(addressOf(changes)),
    comeBack,
    newCode: async (changes) => {
      forge.person = octocat;
      return (await comeBack(changes)).searchParams.get('code') ?? '';
    },
    token: (form) => {
      const all = {
        grant_type: 'authorization_code',
        client_id: forge.clientId,
        client_secret: forge.clientSecret,
        redirect_uri: redirectUri,
        ...form,
      };
      return fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(all) });
    },
  };
}

/** It is an OAuth error of that name. */
export async function assertRefused(answer: Response, status: number, error: string): Promise<void> {
  assert.deepEqual([answer.status, ((await answer.json()) as { error: string }).error], [status, error]);
}
