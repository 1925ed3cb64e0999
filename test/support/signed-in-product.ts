import type { ProcessRole } from '#server/main.ts';
import { after } from 'node:test';
import { makeCookieClient, signIn, type CookieClient } from './cookie-client.ts';
import { startIndependentProvider, type IndependentProvider } from './independent-provider.ts';
import type { IndependentProviderOptions } from './independent-provider-configuration.ts';
import { freePort } from '#platform/runtime/free-port.ts';
import { startTestProgram, type TestProgram } from './test-program.ts';

export interface SignInProduct extends TestProgram {
  provider: IndependentProvider;
  /** A browser that has signed in. */
  newSession(login: string): Promise<CookieClient>;
}

/** The product with an independent provider to sign in at; both end with the file. */
export async function startSignInProduct(
  env: NodeJS.ProcessEnv = {},
  providerOptions: Partial<IndependentProviderOptions> = {},
  roles: readonly ProcessRole[] = ['api'],
): Promise<SignInProduct> {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const provider = await startIndependentProvider({
    redirectUris: [`${publicUrl}/api/auth/callback`],
    postLogoutRedirectUris: [publicUrl],
    ...providerOptions,
  });
  after(() => provider.stop());
  const product = await startTestProgram(
    {
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      ...env,
    },
    roles,
  );
  return {
    ...product,
    provider,
    newSession: async (login) => {
      const browser = makeCookieClient();
      const { status } = await signIn(browser, publicUrl, login);
      if (status !== 302) throw new Error(`the sign-in answered ${status}`);
      return browser;
    },
  };
}
