import type { Octokit } from '@octokit/core';
import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';

/** Calls the forge's REST API. A call rejects with `RateLimited` or with the forge's error. */
export interface ForgeClient {
  asApp<T>(ask: (octokit: Octokit) => Promise<T>): Promise<T>;
  asInstallation<T>(installationId: string, ask: (octokit: Octokit) => Promise<T>): Promise<T>;
}

/** The rate limit of the forge is exceeded. */
export class RateLimited extends Error {
  /** Undefined when the forge gives no time. */
  readonly waitMs: number | undefined;

  constructor(waitMs: number | undefined) {
    super('the forge’s rate limit is reached');
    this.waitMs = waitMs;
  }
}

/** Aborts a call to a forge that hangs. */
const callTimeoutMs = 20_000;
/** A page of 100 pull requests with long descriptions takes several megabytes. */
const fetch = boundedFetch(16 * 1024 * 1024);

/** Undefined when no forge application is configured. */
export function forgeClientOf(config: Config, log: Log): ForgeClient | undefined {
  const { forgeAppId: appId, forgeAppPrivateKey: privateKey, forgeApiUrl: baseUrl } = config;
  if (appId === undefined || privateKey === undefined) return undefined;
  let loading: Promise<ForgeApp> | undefined;
  const loaded = () => (loading ??= loadApp({ appId, privateKey, baseUrl, log }));
  return {
    asApp: (ask) => withRateLimits(async () => ask((await loaded()).octokit)),
    asInstallation: (installationId, ask) =>
      withRateLimits(async () => ask(await (await loaded()).octokitOf(Number(installationId)))),
  };
}

interface AppOptions {
  appId: number;
  privateKey: string;
  baseUrl: string;
  log: Log;
}

interface ForgeApp {
  octokit: Octokit;
  octokitOf(installationId: number): Promise<Octokit>;
}

/** Loads the library with the first call, because most deployments have no application. */
async function loadApp({ appId, privateKey, baseUrl, log }: AppOptions): Promise<ForgeApp> {
  const [{ Octokit }, { createAppAuth }] = await Promise.all([
    import('@octokit/core'),
    import('@octokit/auth-app'),
  ]);
  const options = {
    baseUrl,
    log: { debug: () => {}, info: () => {}, warn: (text: string) => log.warn(text), error: () => {} },
    request: {
      fetch: (url: string, init: RequestInit) =>
        fetch(url, { ...init, signal: AbortSignal.timeout(callTimeoutMs) }),
    },
    authStrategy: createAppAuth,
  };
  const octokit = new Octokit({ ...options, auth: { appId, privateKey } });
  // Made from the application's client, so that all share its cache of installation tokens.
  const octokitOf = (installationId: number) =>
    octokit.auth({
      type: 'installation',
      installationId,
      factory: (auth: object) => new Octokit({ ...options, auth: { ...auth, installationId } }),
    }) as Promise<Octokit>;
  return { octokit, octokitOf };
}

export function statusOf(error: unknown): number | undefined {
  return isRequestError(error) ? error.status : undefined;
}

/** The part of the library's error that is used. */
interface RequestError extends Error {
  status: number;
  response?: { headers: Record<string, string | number | undefined> };
}

/** Compares the name, because the class may not be loaded. */
function isRequestError(error: unknown): error is RequestError {
  return error instanceof Error && error.name === 'HttpError';
}

/** The status when the forge refuses this one object (other objects may work), otherwise undefined. */
export function refusalOf(error: unknown): number | undefined {
  const status = statusOf(error);
  return status === 403 || status === 404 || status === 410 || status === 451 ? status : undefined;
}

/** Reads the `Link` header of a list. */
export function isLastPage({ link = '' }: { link?: string | undefined }): boolean {
  return !link.includes('rel="next"');
}

/** Resolves to undefined on a 404. */
export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

async function withRateLimits<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw limitOf(error) ?? error;
  }
}

const minWaitMs = 1000;
/** GitHub's secondary limits may be recognizable only by the message; older servers call them abuse detection. */
const limitMessage = /rate limit|abuse detection/i;

/** A 403 is a permanent refusal unless a header or the message indicates a rate limit. */
function limitOf(error: unknown): RateLimited | undefined {
  if (!isRequestError(error) || (error.status !== 403 && error.status !== 429)) return undefined;
  const headers = error.response?.headers ?? {};
  const isLimit =
    error.status === 429 ||
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    limitMessage.test(error.message);
  return isLimit ? new RateLimited(retryAfterMs(headers)) : undefined;
}

/** From `Retry-After`, or from the reset time when no requests remain. */
function retryAfterMs(headers: Record<string, string | number | undefined>): number | undefined {
  const {
    'retry-after': retryAfter,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  } = headers;
  const untilReset = remaining === '0' ? Number(reset) * 1000 - Date.now() : NaN;
  const waitMs = retryAfter === undefined ? untilReset : Number(retryAfter) * 1000;
  return Number.isFinite(waitMs) ? Math.max(minWaitMs, waitMs) : undefined;
}
