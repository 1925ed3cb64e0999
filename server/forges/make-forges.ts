import type { Database } from '#platform/database/database.ts';
import { makeGuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { ApplicationClient } from './github/application-client.ts';
import { makeGithubForge } from './github/github-forge.ts';
import { isLastPage } from './github/octokit-calls.ts';
import type { Forge, Forges } from './port.ts';
import { readLog } from './read-log.ts';
import { findInstallationOf } from './store.ts';

export interface ForgesDeps {
  db: Database;
  client: ApplicationClient;
  config: Pick<Config, 'forgeApiUrl' | 'alertAllowedNetworks' | 'alertAllowedPorts'>;
}

export function makeForges({ db, client, config }: ForgesDeps): Forges {
  const {
    forgeApiUrl: apiUrl,
    alertAllowedNetworks: allowedNetworks,
    alertAllowedPorts: allowedPorts,
  } = config;
  const trustedOrigins = [new URL(apiUrl).origin];
  const guardedFetch = makeGuardedFetch({ allowedNetworks, allowedPorts, trustedOrigins });
  const ofInstallation = (installationId: string): Forge =>
    makeGithubForge({
      ask: (use) => client.asInstallation(installationId, use),
      readLog: async function* (path) {
        const token = await client.tokenOf(installationId);
        yield* readLog(guardedFetch, apiUrl + path, `Bearer ${token}`);
      },
      listRepositories: async (octokit, page) => {
        const { data, headers } = await octokit.request('GET /installation/repositories', {
          page,
          per_page: 100,
        });
        return { items: data.repositories, isLast: isLastPage(headers) };
      },
    });
  return {
    ofInstallation,
    ofRepository: async (integrationId, repository) => {
      const found = await db.withScope({ integrationId }, (tx) =>
        findInstallationOf(tx, integrationId, repository),
      );
      return found === undefined ? undefined : ofInstallation(found);
    },
  };
}
