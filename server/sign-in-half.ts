import type { FastifyInstance } from 'fastify';
import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { configuredProvider, makeSignIn, type SignIn } from '#server/identity/sign-in.ts';
import { makeIdentityProvider } from '#server/identity-provider/identity-provider.ts';
import { makeLocalFetch } from '#server/identity-provider/local-fetch.ts';
import { mountIdentityProvider } from '#server/identity-provider/mount.ts';
import { identityProviderRoutes } from '#server/identity-provider/routes.ts';
import type { Deployment } from './deployment.ts';
import type { Route } from './route.ts';

export interface SignInHalfDeps {
  config: Config;
  log: Log;
  deployment: Deployment;
  listener: Listener;
  clock: Clock;
  db: Database;
  /** Where this process listens; undefined before it does. */
  localUrl(): string | undefined;
}

/** Everything about signing in: sessions, and the identity provider where it is ours. */
export interface SignInHalf {
  signIn: SignIn;
  /** Pages of the identity provider. */
  pages: readonly Route[];
  /** Puts the protocol of the identity provider on the server. */
  mount(http: FastifyInstance): Promise<void>;
  background: readonly Service[];
  /** Started once this process listens. */
  onceListening: readonly Service[];
}

/** Sign-in at the provider that OIDC_ISSUER names, else at the built-in one. */
export function makeSignInHalf(deps: SignInHalfDeps): SignInHalf {
  const { sealer, masterKeys } = deps.deployment;
  const configured = configuredProvider(deps.config);
  if (configured !== undefined) {
    const signIn = makeSignIn({ ...deps, sealer }, configured);
    const background = [signIn.provider.service, ...signIn.services];
    return { signIn, pages: [], mount: async () => {}, background, onceListening: [] };
  }
  const builtIn = makeIdentityProvider({ ...deps, sealer, masterKeys });
  const fetch = makeLocalFetch(deps.config.publicUrl, deps.localUrl);
  const signIn = makeSignIn({ ...deps, sealer }, { ...builtIn, fetch });
  return {
    signIn,
    pages: identityProviderRoutes(builtIn),
    mount: (http) => mountIdentityProvider(http, builtIn),
    background: [...builtIn.services, ...signIn.services],
    // Its metadata are asked for over HTTP, like any provider's.
    onceListening: [signIn.provider.service],
  };
}
