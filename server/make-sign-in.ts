import type { FastifyInstance } from 'fastify';
import type { Service } from '#platform/runtime/service.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { makeForgeSignIn } from '#server/forge-sign-in/forge-sign-in.ts';
import { forgeSignInRoutes, publicPrefixes as forgeSignInPrefixes } from '#server/forge-sign-in/routes.ts';
import { sessionPrefixes } from '#server/identity/session-routes.ts';
import { configuredProvider, makeSignIn, type SignIn } from '#server/identity/sign-in.ts';
import { mountIdentityProvider } from '#server/identity-provider/mount.ts';
import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import type { Runtime } from './runtime.ts';
import type { Route } from './route.ts';

export interface SignInDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock' | 'config' | 'listener'> {
  runtime: Runtime;
  /** Base URL on this machine; undefined before the server listens. */
  localUrl(): string | undefined;
}

/** Sign-in: sessions and, unless another provider is configured, the built-in identity provider. */
export interface SignInModules {
  signIn: SignIn;
  /** Pages of the built-in identity provider and routes of the sign-in at the forge. */
  routes: readonly Route[];
  publicPrefixes: readonly string[];
  /** Mounts the OpenID protocol of the built-in provider. */
  mount(http: FastifyInstance): Promise<void>;
  background: readonly Service[];
  /** Started when this process listens. */
  onceListening: readonly Service[];
  /** URL of the demo sign-in; undefined where it is not available. */
  demoAddress: string | undefined;
}

/** Uses the provider of OIDC_ISSUER if it is set, otherwise the built-in one. */
export async function makeSignInModules(deps: SignInDeps): Promise<SignInModules> {
  const { config, runtime, localUrl } = deps;
  const parts = { ...deps, ...runtime };
  const configured = configuredProvider(config);
  const forge = makeForgeSignIn(parts);
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
  const [{ makeIdentityProvider }, { identityProviderPrefixes, identityProviderRoutes }] = await Promise.all([
    import('#server/identity-provider/identity-provider.ts'),
    import('#server/identity-provider/routes.ts'),
  ]);
  const fetch = makeLocalFetch(config.publicUrl, localUrl);
  const builtIn = makeIdentityProvider(parts);
  const { demoKey } = builtIn;
  const signIn = makeSignIn(parts, { ...builtIn, fetch });
  return {
    ...shared,
    signIn,
    publicPrefixes: [...shared.publicPrefixes, ...identityProviderPrefixes],
    routes: [...shared.routes, ...identityProviderRoutes(builtIn)],
    mount: (http) => mountIdentityProvider(http, builtIn),
    background: [...shared.background, ...builtIn.services, ...signIn.services],
    onceListening: [...signIn.providerServices, ...(demoKey === undefined ? [] : [demoKey.service])],
    demoAddress: demoKey?.address,
  };
}

const read = boundedFetch(64 * 1024);

/**
 * Sends requests for this service's public URL to the address it listens on, because the public name may not resolve on this machine
 * or may lead through a proxy that has not started.
 */
function makeLocalFetch(publicUrl: string, localUrl: () => string | undefined): typeof globalThis.fetch {
  return async (input, init) => {
    const wanted = input instanceof Request ? input.url : String(input);
    const base = localUrl();
    if (base === undefined) throw new Error('this process does not listen yet');
    if (!wanted.startsWith(`${publicUrl}/`)) throw new Error('not a URL of this service');
    return read(base + wanted.slice(publicUrl.length), init);
  };
}
