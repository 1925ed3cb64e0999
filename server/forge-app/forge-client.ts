import type { App, Octokit, RequestError } from 'octokit';
import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';

/** Calls to the forge's REST API. Each rejects with RateLimited, or an error of the forge. */
export interface ForgeClient {
  asApp<T>(ask: (octokit: Octokit) => Promise<T>): Promise<T>;
  asInstallation<T>(installationId: string, ask: (octokit: Octokit) => Promise<T>): Promise<T>;
}

/** The forge wants to be left alone for a while. */
export class RateLimited extends Error {
  /** Undefined when the forge does not say how long. */
  readonly waitMs: number | undefined;

  constructor(waitMs: number | undefined) {
    super('the forge’s rate limit is reached');
    this.waitMs = waitMs;
  }
}

/** A call that takes longer is given up, so that a forge that hangs holds up nothing for good. */
const callTimeoutMs = 20_000;
/** A page of 100 pull requests with long descriptions has some megabytes. */
const fetch = boundedFetch(16 * 1024 * 1024);

/** Undefined while no forge application is set up. */
export function forgeClientOf(config: Config, log: Log): ForgeClient | undefined {
  const { forgeAppId: appId, forgeAppPrivateKey: privateKey, forgeApiUrl: baseUrl } = config;
  if (appId === undefined || privateKey === undefined) return undefined;
  let loading: Promise<App> | undefined;
  const loaded = () => (loading ??= makeApp({ appId, privateKey, baseUrl, log }));
  return {
    asApp: (ask) => withRateLimits(async () => ask((await loaded()).octokit as unknown as Octokit)),
    asInstallation: (installationId, ask) =>
      withRateLimits(async () => {
        const app = await loaded();
        return ask((await app.getInstallationOctokit(Number(installationId))) as unknown as Octokit);
      }),
  };
}

interface AppOptions {
  appId: number;
  privateKey: string;
  baseUrl: string;
  log: Log;
}

/** The library is large, and most deployments have no application: it is loaded with the first call. */
async function makeApp({ appId, privateKey, baseUrl, log }: AppOptions): Promise<App> {
  const { App, Octokit } = await import('octokit');
  const quiet = { debug: () => {}, info: () => {}, warn: (text: string) => log.warn(text), error: () => {} };
  return new App({
    appId,
    privateKey,
    log: quiet,
    // Waiting is the caller's: a sync is put off, a person is told.
    Octokit: Octokit.defaults({
      baseUrl,
      log: quiet,
      throttle: { enabled: false },
      retry: { enabled: false },
      request: {
        fetch: (url: string, init: RequestInit) =>
          fetch(url, { ...init, signal: AbortSignal.timeout(callTimeoutMs) }),
      },
    }),
  });
}

export function statusOf(error: unknown): number | undefined {
  return isRequestError(error) ? error.status : undefined;
}

/** By its name, for its class may not be loaded. */
function isRequestError(error: unknown): error is RequestError {
  return error instanceof Error && error.name === 'HttpError';
}

/** The status with which the forge refuses one thing, and may well grant the next; undefined for all else. */
export function refusalOf(error: unknown): number | undefined {
  const status = statusOf(error);
  return status === 403 || status === 404 || status === 410 || status === 451 ? status : undefined;
}

/** From a list's `Link` header. */
export function isLastPage({ link = '' }: { link?: string | undefined }): boolean {
  return !link.includes('rel="next"');
}

/** What the forge answers, or undefined when there is no such thing. */
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
/** The only sign of some limits that GitHub has besides its hourly one; the second is how it called them before. */
const limitMessage = /rate limit|abuse detection/i;

/** A 403 is a refusal for good, unless a header or the message tells of a limit. */
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

/** From `Retry-After`, or an empty budget with the time at which it is filled again. */
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
