import type { ProcessRole } from '#server/role-deps.ts';
import { after } from 'node:test';
import { makeCookieClient, signIn, type CookieClient } from './cookie-client.ts';
import { startIndependentProvider, type IndependentProvider } from './independent-provider.ts';
import type { IndependentProviderOptions } from './independent-provider-configuration.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { startTestProgram, type TestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

export interface SignInProduct extends TestProgram {
  provider: IndependentProvider;
  /** A signed-in browser. */
  newSession(login: string): Promise<CookieClient>;
}

/** Forgewatch with an independent identity provider. Both stop when the file ends. */
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
    newSession: (login) =>
      // An address signs in 20 times a minute.
      waitUntil('a sign-in', async () => {
        const browser = makeCookieClient();
        const { status } = await signIn(browser, publicUrl, login);
        if (status === 429) return undefined;
        if (status !== 302) throw new Error(`the sign-in answered ${status}`);
        return browser;
      }),
  };
}
