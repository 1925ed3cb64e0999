import type { FastifyInstance } from 'fastify';
import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeForgeSignIn } from '#server/forge-sign-in/forge-sign-in.ts';
import { forgeSignInRoutes, publicPrefixes as forgeSignInPrefixes } from '#server/forge-sign-in/routes.ts';
import { sessionPrefixes } from '#server/identity/session-routes.ts';
import { configuredProvider, makeSignIn, type SignIn } from '#server/identity/sign-in.ts';
import { forgeRedirectUri } from '#server/identity-provider/forge-redirect-uri.ts';
import { makeLocalFetch } from '#server/identity-provider/local-fetch.ts';
import { mountIdentityProvider } from '#server/identity-provider/mount.ts';
import type { Runtime } from './runtime.ts';
import type { Route } from './route.ts';

export interface SignInDeps {
  config: Config;
  log: Log;
  runtime: Runtime;
  listener: Listener;
  clock: Clock;
  db: Database;
  /** Where this process listens; undefined before it does. */
  localUrl(): string | undefined;
}

/** Everything about signing in: sessions, and the identity provider where it is ours. */
export interface SignInModules {
  signIn: SignIn;
  /** The pages of the identity provider, and what stands between it and the forge. */
  routes: readonly Route[];
  publicPrefixes: readonly string[];
  /** Puts the protocol of the identity provider on the server. */
  mount(http: FastifyInstance): Promise<void>;
  background: readonly Service[];
  /** Started once this process listens. */
  onceListening: readonly Service[];
  /** Where the operator signs in to the demo; undefined where it is not offered. */
  demoAddress: string | undefined;
}

/** Sign-in at the provider that OIDC_ISSUER names, else at the built-in one. */
export async function makeSignInModules(deps: SignInDeps): Promise<SignInModules> {
  const { config, runtime, localUrl } = deps;
  const parts = { ...deps, ...runtime };
  const configured = configuredProvider(config);
  const redirectUris = configured === undefined ? [forgeRedirectUri(config.publicUrl)] : [];
  const forge = makeForgeSignIn({ ...parts, redirectUris });
  const shared = {
    publicPrefixes: [...sessionPrefixes, ...forgeSignInPrefixes],
    routes: forgeSignInRoutes(forge),
    background: forge === undefined ? [] : [forge.keys.service],
    demoAddress: undefined,
  };
  if (configured !== undefined) {
    const signIn = makeSignIn(parts, configured);
    const background = [...shared.background, ...signIn.providerServices, ...signIn.services];
    return { ...shared, signIn, mount: async () => {}, background, onceListening: [] };
  }
  // Its library is a sixth of all that is read at a start; with another provider there is none.
  const [{ makeIdentityProvider }, { identityProviderRoutes }] = await Promise.all([
    import('#server/identity-provider/identity-provider.ts'),
    import('#server/identity-provider/routes.ts'),
  ]);
  const fetch = makeLocalFetch(config.publicUrl, localUrl);
  const builtIn = makeIdentityProvider({ ...parts, forge, fetch });
  const { demoKey } = builtIn;
  const signIn = makeSignIn(parts, { ...builtIn, fetch });
  return {
    ...shared,
    signIn,
    routes: [...shared.routes, ...identityProviderRoutes(builtIn)],
    mount: (http) => mountIdentityProvider(http, builtIn),
    background: [...shared.background, ...builtIn.services, ...signIn.services],
    // Its metadata are asked for over HTTP, like any provider's.
    onceListening: [...signIn.providerServices, ...(demoKey === undefined ? [] : [demoKey.service])],
    demoAddress: demoKey?.address,
  };
}
