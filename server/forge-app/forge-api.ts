import { App, Octokit, RequestError } from 'octokit';
import type { Config } from '#platform/runtime/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Account } from './app-event.ts';

interface ForgeApiOptions {
  appId: number;
  privateKey: string;
  /** API root of the forge. */
  baseUrl: string;
  log: Log;
}

interface ForgeMember {
  id: number;
  login: string;
}

/** What the application asks the forge. Each rejects with RateLimited, or an error of the forge. */
export interface ForgeApi {
  /** Undefined when there is none of that number. */
  readInstallation(installationId: string): Promise<{ account: Account; isSuspended: boolean } | undefined>;
  /** Whether the person administers the account: is it, or an admin of the organization. */
  administers(
    installationId: string,
    account: Account,
    person: { forgeId: number; login: string },
  ): Promise<boolean>;
  /** A page of an organization's members, from 1; `isLast` when no more follow. */
  listMembers(
    installationId: string,
    organization: string,
    page: number,
  ): Promise<{ members: ForgeMember[]; isLast: boolean }>;
  isMember(installationId: string, organization: string, login: string): Promise<boolean>;
}

/** The forge wants to be left alone for a while. */
export class RateLimited extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super('the forge’s rate limit is reached');
    this.waitMs = waitMs;
  }
}

const pageSize = 100;

/** Undefined while no forge application is set up. */
export function forgeApiOf(config: Config, log: Log): ForgeApi | undefined {
  const { forgeAppId: appId, forgeAppPrivateKey: privateKey, forgeApiUrl: baseUrl } = config;
  if (appId === undefined || privateKey === undefined) return undefined;
  return makeForgeApi({ appId, privateKey, baseUrl, log });
}

function makeForgeApi({ appId, privateKey, baseUrl, log }: ForgeApiOptions): ForgeApi {
  const quiet = { debug: () => {}, info: () => {}, warn: (text: string) => log.warn(text), error: () => {} };
  const app = new App({
    appId,
    privateKey,
    log: quiet,
    // Waiting is the caller's: a sync is put off, a person is told.
    Octokit: Octokit.defaults({
      baseUrl,
      log: quiet,
      throttle: { enabled: false },
      retry: { enabled: false },
      request: { signal: undefined },
    }),
  });
  const asking = async <T>(installationId: string, ask: (octokit: Octokit) => Promise<T>): Promise<T> => {
    try {
      return await ask((await app.getInstallationOctokit(Number(installationId))) as unknown as Octokit);
    } catch (error) {
      throw limitOf(error) ?? error;
    }
  };
  return {
    readInstallation: async (installationId) => {
      try {
        const { data } = await app.octokit.request('GET /app/installations/{installation_id}', {
          installation_id: Number(installationId),
        });
        const { account, suspended_at: suspendedAt } = data;
        if (account === null || !('login' in account)) return undefined;
        const { id, login, type } = account;
        return { account: { id: Number(id), login, type }, isSuspended: suspendedAt !== null };
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        throw limitOf(error) ?? error;
      }
    },
    administers: async (installationId, account, { forgeId, login }) => {
      if (account.type !== 'Organization') return account.id === forgeId;
      return asking(installationId, async (octokit) => {
        try {
          const { data } = await octokit.request('GET /orgs/{org}/memberships/{username}', {
            org: account.login,
            username: login,
          });
          return Number(data.user?.id) === forgeId && data.state === 'active' && data.role === 'admin';
        } catch (error) {
          if (statusOf(error) === 404) return false;
          throw error;
        }
      });
    },
    listMembers: (installationId, org, page) =>
      asking(installationId, async (octokit) => {
        const { data, headers } = await octokit.request('GET /orgs/{org}/members', {
          org,
          page,
          per_page: pageSize,
        });
        const members = data.map(({ id, login }) => ({ id: Number(id), login }));
        return { members, isLast: !(headers.link ?? '').includes('rel="next"') };
      }),
    isMember: (installationId, org, username) =>
      asking(installationId, async (octokit) => {
        try {
          const { status } = await octokit.request('GET /orgs/{org}/members/{username}', { org, username });
          return (status as number) === 204;
        } catch (error) {
          if (statusOf(error) === 404) return false;
          throw error;
        }
      }),
  };
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof RequestError ? error.status : undefined;
}

const leastWaitMs = 1000;
const secondaryWaitMs = 60_000;

/** Both kinds of limit: `Retry-After`, or an empty budget with the time at which it is filled again. */
function limitOf(error: unknown): RateLimited | undefined {
  if (!(error instanceof RequestError) || (error.status !== 403 && error.status !== 429)) return undefined;
  const headers = error.response?.headers ?? {};
  const retryAfter = Number(headers['retry-after']);
  if (Number.isFinite(retryAfter) && headers['retry-after'] !== undefined)
    return new RateLimited(Math.max(leastWaitMs, retryAfter * 1000));
  if (headers['x-ratelimit-remaining'] === '0') {
    const waitMs = Number(headers['x-ratelimit-reset']) * 1000 - Date.now();
    return new RateLimited(Number.isFinite(waitMs) ? Math.max(leastWaitMs, waitMs) : secondaryWaitMs);
  }
  return error.status === 429 ? new RateLimited(secondaryWaitMs) : undefined;
}
