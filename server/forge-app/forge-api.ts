import type { Account } from './app-event.ts';
import type { ApplicationClient } from '#server/forges/github/application-client.ts';
import { ForgeError } from '#server/forges/errors.ts';
import { isLastPage, unlessMissing } from '#server/forges/github/octokit-calls.ts';

export interface ForgeMember {
  id: number;
  login: string;
}

export interface ReadInstallation {
  account: Account;
  isSuspended: boolean;
}

/** REST calls about an installation, its account and the account's members. */
export interface ForgeApi {
  /** Undefined when the installation does not exist. */
  readInstallation(installationId: string): Promise<ReadInstallation | undefined>;
  /** Whether the person owns the account or is an admin of the organization. */
  administers(
    installationId: string,
    account: Account,
    person: { forgeId: number; login: string },
  ): Promise<boolean>;
  /** Reads one page of an organization's members. Pages start at 1. */
  listMembers(
    installationId: string,
    organization: string,
    page: number,
  ): Promise<{ members: ForgeMember[]; isLast: boolean }>;
  isMember(installationId: string, organization: string, login: string): Promise<boolean>;
}

const pageSize = 100;

export function makeForgeApi({ asApp, asInstallation }: ApplicationClient): ForgeApi {
  return {
    readInstallation: (installationId) =>
      asApp(async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /app/installations/{installation_id}', {
            installation_id: Number(installationId),
          }),
        );
        const account = found?.data.account ?? null;
        if (found === undefined || account === null || !('login' in account)) return undefined;
        const { id, login, type } = account;
        return { account: { id: Number(id), login, type }, isSuspended: found.data.suspended_at !== null };
      }),
    administers: async (installationId, account, { forgeId, login }) => {
      if (account.type !== 'Organization') return account.id === forgeId;
      return asInstallation(installationId, async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /orgs/{org}/memberships/{username}', { org: account.login, username: login }),
        );
        if (found === undefined) return false;
        const { user, state, role } = found.data;
        return Number(user?.id) === forgeId && state === 'active' && role === 'admin';
      });
    },
    listMembers: (installationId, org, page) =>
      asInstallation(installationId, async (octokit) => {
        const { data, headers } = await octokit.request('GET /orgs/{org}/members', {
          org,
          page,
          per_page: pageSize,
        });
        const members = data.map(({ id, login }) => ({ id: Number(id), login }));
        return { members, isLast: isLastPage(headers) };
      }),
    isMember: (installationId, org, username) =>
      asInstallation(installationId, async (octokit) => {
        const request = { redirect: 'manual' } as const;
        const found = await unlessMissing(
          octokit.request('GET /orgs/{org}/members/{username}', { org, username, request }),
        );
        // A redirect to the public members does not tell about concealed ones.
        if (found !== undefined && (found.status as number) !== 204)
          throw new ForgeError(403, 'The forge does not show the members of the organization.');
        return found !== undefined;
      }),
  };
}
