import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider as OidcProvider } from 'oidc-provider';
import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeSigningKeys } from '#server/signing-keys/signing-keys.ts';
import { makeForgeUpstream, type ForgeUpstream } from './forge-upstream.ts';
import { makeDemoKey, type DemoKey } from './demo/demo-key.ts';
import { providerConfiguration, type ConfigurationOptions } from './configuration.ts';
import { forgeRedirectUri } from './forge-redirect-uri.ts';
import { Provider } from './library.ts';
import { deleteExpiredState } from './store.ts';

export interface IdentityProviderDeps {
  config: Config;
  db: Database;
  log: Log;
  clock: Clock;
  sealer: Sealer;
  masterKeys: readonly [Buffer, ...Buffer[]];
  /** The OpenID provider in front of the forge; undefined while no OAuth application of the forge is set. */
  forge: { issuer: string; client: { id: string; secret: string } } | undefined;
  /** Reaches this service's own public addresses. */
  fetch: typeof globalThis.fetch;
}

/** The built-in OpenID provider: at `/oidc` of this server, to everybody else a provider like any other. */
export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  publicUrl: string;
  allowedOrigins: readonly string[];
  /** What opens the demo sign-in; undefined where it is not offered. */
  demoKey: DemoKey | undefined;
  /** How people sign in through the forge; undefined where they do not. */
  upstream: ForgeUpstream | undefined;
  log: Log;
  db: Database;
  /** The library's provider with the keys of now. @throws before the start. */
  provider(): OidcProvider;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Loads the keys, before the first request, and forgets what has expired. */
  readonly services: readonly Service[];
}

const sweepMs = 600_000;
const sweepRows = 5000;

export function makeIdentityProvider(deps: IdentityProviderDeps): IdentityProvider {
  const { config, db, log, masterKeys } = deps;
  const { publicUrl, webOrigins: allowedOrigins } = config;
  const demoKey = config.demoSignIn ? makeDemoKey(config.dataDir, publicUrl) : undefined;
  const upstream = deps.forge && upstreamOf(deps, deps.forge);
  const options: ConfigurationOptions = {
    db,
    publicUrl,
    allowedOrigins,
    issuer: `${publicUrl}/oidc`,
    clientId: 'forgewatch',
    clientSecret: deriveKey(masterKeys[0], 'identity-provider/client').toString('base64url'),
    cookieKeys: masterKeys.map((key) => deriveKey(key, 'identity-provider/cookies').toString('base64url')),
    sessionMaxDays: config.sessionMaxDays,
    mayUse: (source) => (source === 'demo' ? demoKey !== undefined : upstream !== undefined),
  };
  const keys = makeSigningKeys(deps, 'identity-provider');
  let current: { provider: OidcProvider; answer: ReturnType<OidcProvider['callback']> } | undefined;
  keys.onChange(({ published }) => {
    const provider = makeProvider(options, published, log);
    current = { provider, answer: provider.callback() };
  });
  const running = (): NonNullable<typeof current> => {
    if (current === undefined) throw new Error('the identity provider has not started');
    return current;
  };
  return {
    issuer: options.issuer,
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    publicUrl,
    allowedOrigins,
    demoKey,
    upstream,
    log,
    db,
    provider: () => running().provider,
    answer: async (request, response) => running().answer(request, response),
    services: [
      keys.service,
      repeat(log, 'forget expired sign-ins', sweepMs, async (signal) => {
        while (!signal.aborted && (await deleteExpiredState(db, sweepRows)) > 0);
      }),
    ],
  };
}

function upstreamOf(
  { config, masterKeys, fetch }: IdentityProviderDeps,
  { issuer, client }: NonNullable<IdentityProviderDeps['forge']>,
): ForgeUpstream {
  return makeForgeUpstream({
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    redirectUri: forgeRedirectUri(config.publicUrl),
    forgeUrl: config.forgeUrl,
    masterKeys,
    fetch,
  });
}

/** The library fixes its keys at construction, so each rotation makes a new provider. Its state is in the database. */
function makeProvider(
  options: ConfigurationOptions,
  keys: Parameters<typeof providerConfiguration>[1],
  log: Log,
): OidcProvider {
  const provider = new Provider(options.issuer, providerConfiguration(options, keys));
  // The library builds URLs from request headers; `mount.ts` overwrites them with the configured host.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'the identity provider failed'));
  (provider as EventEmitter).on('error', (error: unknown) =>
    log.warn({ err: error }, 'the identity provider refused a request'),
  );
  return provider;
}
