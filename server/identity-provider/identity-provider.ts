import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { makeSigningKeys } from '#server/signing-keys/signing-keys.ts';
import { makeForgeUpstream, type ForgeUpstream } from './accounts/forge-upstream.ts';
import { makeDemoKey, type DemoKey } from './demo/demo-key.ts';
import type { ConfigurationOptions } from './configuration.ts';
import { ownDocuments } from './own-documents.ts';
import type { RunningProvider } from './provider.ts';
import { deleteExpiredState } from './store.ts';

export interface IdentityProviderDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock' | 'config' | 'sealer'> {
  masterKeys: readonly [Buffer, ...Buffer[]];
}

/** The built-in OpenID provider at `/oidc`. The rest of the service uses it like any other provider. */
export interface IdentityProvider extends Pick<SharedDeps, 'db' | 'log'> {
  issuer: string;
  clientId: string;
  clientSecret: string;
  publicUrl: string;
  allowedOrigins: readonly string[];
  /** Key of the demo sign-in. Undefined where it is not offered. */
  demoKey: DemoKey | undefined;
  /** Sign-in through the forge. Undefined when FORGE_CLIENT_ID is not set. */
  upstream: ForgeUpstream | undefined;
  known: ReturnType<typeof ownDocuments>;
  /**
   * The library's provider with the current keys. The first call loads the library: it is a sixth of all code.
   * @throws before the start
   */
  running(): Promise<RunningProvider>;
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
  let current: Promise<RunningProvider> | undefined;
  keys.onChange(() => {
    current = undefined;
  });
  const make = async (): Promise<RunningProvider> => {
    const { makeProvider } = await import('./provider.ts');
    // In a turn of the event loop of its own: it takes 10 ms, and loading the library 25 (`library.ts`).
    await nextTurn();
    return makeProvider(options, keys.current().published, log);
  };
  const running = (): Promise<RunningProvider> => (current ??= make());
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
    known: ownDocuments(options.issuer, () => keys.current().published),
    running,
    answer: async (request, response) => (await running()).answer(request, response),
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
