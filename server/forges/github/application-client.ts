import type { Octokit } from '@octokit/core';
import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { ForgeGate, Priority } from '#server/forges/budget/forge-gate.ts';
import { callTimeoutMs, gatedFetch, type ForgeFetch } from '#server/forges/budget/gated-fetch.ts';
import { withForgeErrors } from './octokit-calls.ts';

/** Calls the REST API as the forge application. A call rejects with `RateLimited` or `ForgeError`. */
export interface ApplicationClient {
  asApp<T>(ask: (octokit: Octokit) => Promise<T>): Promise<T>;
  asInstallation<T>(installationId: string, ask: (octokit: Octokit) => Promise<T>): Promise<T>;
  /** For calls that the library cannot make. */
  tokenOf(installationId: string): Promise<string>;
}

/** A page of 100 pull requests with long descriptions takes several megabytes. */
const boundedAnswer = boundedFetch(16 * 1024 * 1024);
const fetch: ForgeFetch = (url, init) =>
  boundedAnswer(url, {
    ...init,
    signal: AbortSignal.any([AbortSignal.timeout(callTimeoutMs), ...(init.signal ? [init.signal] : [])]),
  });

/** What the calls of an installation pass through. */
export interface CallLimits {
  gate: ForgeGate;
  priority: Priority;
}

/** Undefined when no forge application is configured. */
export function applicationClientOf(
  config: Config,
  log: Log,
  limits: CallLimits | undefined = undefined,
): ApplicationClient | undefined {
  const { forgeAppId: appId, forgeAppPrivateKey: privateKey, forgeApiUrl: baseUrl } = config;
  if (appId === undefined || privateKey === undefined) return undefined;
  let loading: Promise<ForgeApp> | undefined;
  const loaded = () => (loading ??= loadApp({ appId, privateKey, baseUrl, log, limits }));
  return {
    asApp: (ask) => withForgeErrors(async () => ask((await loaded()).octokit)),
    asInstallation: (installationId, ask) =>
      withForgeErrors(async () => ask(await (await loaded()).octokitOf(Number(installationId)))),
    tokenOf: (installationId) =>
      withForgeErrors(async () => {
        const octokit = await (await loaded()).octokitOf(Number(installationId));
        const { token } = (await octokit.auth({ type: 'installation' })) as { token: string };
        return token;
      }),
  };
}

interface AppOptions {
  appId: number;
  privateKey: string;
  baseUrl: string;
  log: Log;
  limits: CallLimits | undefined;
}

interface ForgeApp {
  octokit: Octokit;
  octokitOf(installationId: number): Promise<Octokit>;
}

/** Loads the library with the first call, because most deployments have no application. */
async function loadApp({ appId, privateKey, baseUrl, log, limits }: AppOptions): Promise<ForgeApp> {
  const [{ Octokit }, { createAppAuth }] = await Promise.all([
    import('@octokit/core'),
    import('@octokit/auth-app'),
  ]);
  const options = {
    baseUrl,
    log: { debug: () => {}, info: () => {}, warn: (text: string) => log.warn(text), error: () => {} },
    request: { fetch },
    authStrategy: createAppAuth,
  };
  const fetchOf = (installationId: number): ForgeFetch =>
    limits === undefined
      ? fetch
      : gatedFetch(limits.gate, `installation:${installationId}`, limits.priority, fetch);
  const octokit = new Octokit({ ...options, auth: { appId, privateKey } });
  // Made from the application's client, so that all share its cache of installation tokens.
  const octokitOf = (installationId: number) =>
    octokit.auth({
      type: 'installation',
      installationId,
      factory: (auth: object) =>
        new Octokit({
          ...options,
          request: { fetch: fetchOf(installationId) },
          auth: { ...auth, installationId },
        }),
    }) as Promise<Octokit>;
  return { octokit, octokitOf };
}
