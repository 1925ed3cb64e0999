import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider as OidcProvider } from 'oidc-provider';
import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeSigningKeys } from '#server/signing-keys/signing-keys.ts';
import { makeForgeUpstream, type ForgeUpstream } from './forge-upstream.ts';
import { makeDemoKey, type DemoKey } from './demo/demo-key.ts';
import { providerConfiguration, type ConfigurationOptions } from './configuration.ts';
import { Provider } from './library.ts';
import { deleteExpiredState } from './store.ts';

export interface IdentityProviderDeps {
  config: Config;
  db: Database;
  log: Log;
  clock: Clock;
  sealer: Sealer;
  masterKeys: readonly [Buffer, ...Buffer[]];
}

/** The built-in OpenID provider at `/oidc`. The rest of the service uses it like any other provider. */
export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  publicUrl: string;
  allowedOrigins: readonly string[];
  /** Key of the demo sign-in. Undefined where it is not offered. */
  demoKey: DemoKey | undefined;
  /** Sign-in through the forge. Undefined when FORGE_CLIENT_ID is not set. */
  upstream: ForgeUpstream | undefined;
  log: Log;
  db: Database;
  /** The library's provider with the current keys. @throws before the start */
  provider(): OidcProvider;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Load the keys before the first request, and delete expired state. */
  readonly services: readonly Service[];
}

const sweepMs = 600_000;
const sweepRows = 5000;

export function makeIdentityProvider(deps: IdentityProviderDeps): IdentityProvider {
  const { config, db, log, masterKeys } = deps;
  const { publicUrl, webOrigins: allowedOrigins } = config;
  const demoKey = config.demoSignIn ? makeDemoKey(config.dataDir, publicUrl) : undefined;
  const upstream = upstreamOf(deps);
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

/** Undefined when FORGE_CLIENT_ID is not set. */
function upstreamOf({ config, masterKeys }: IdentityProviderDeps): ForgeUpstream | undefined {
  const { forgeClientId: clientId, forgeClientSecret: clientSecret } = config;
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return makeForgeUpstream({ ...config, clientId, clientSecret, masterKeys });
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
  provider.on('server_error', (_ctx, error) =>
    log.error({ err: error }, 'built-in identity provider failed'),
  );
  (provider as EventEmitter).on('error', (error: unknown) =>
    log.warn({ err: error }, 'built-in identity provider refused a request'),
  );
  return provider;
}
