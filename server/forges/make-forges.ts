import { makeGuardedFetch, type GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { idAtForge } from '#server/runs/objects/forge-ids.ts';
import { makeForgeGate, openGate, type ForgeGate, type Priority } from './budget/forge-gate.ts';
import { gatedLog } from './budget/gated-log.ts';
import { ForgeError } from './errors.ts';
import { applicationClientOf, type ApplicationClient } from './github/application-client.ts';
import { makeGithubForge } from './github/github-forge.ts';
import { isLastPage } from './github/octokit-calls.ts';
import type { Forge, Forges } from './port.ts';
import { readLog } from './read-log.ts';
import { findConnectionOf } from './store.ts';
import { makeTokenForge, type AccessToken } from './tokens/token-forge.ts';
import { openToken } from './tokens/open-token.ts';

export interface ForgesDeps extends Pick<SharedDeps, 'db' | 'log' | 'config' | 'sealer'> {
  /** The address of the forge of the sample traffic, if it runs. */
  sampleForgeUrl: string | undefined;
  /** Of all calls of this process. */
  priority: Priority;
}

export interface ForgeModule extends Forges {
  /** Undefined when no forge application is configured. */
  application: ApplicationClient | undefined;
  /** With a token that is not stored yet. What the forge says about its limits does not apply to the stored one. */
  ofToken(token: AccessToken): Forge;
  /** Why an address of a forge may not be called; undefined when it may. */
  refusal(url: string): string | undefined;
}

export function makeForges({ db, sealer, log, config, priority, sampleForgeUrl }: ForgesDeps): ForgeModule {
  const gate = makeForgeGate({ db });
  const guardedFetch = guardedFetchOf(config, sampleForgeUrl);
  const application = applicationClientOf(config, log, { gate, priority });
  const ofInstallation = (client: ApplicationClient, installationId: string): Forge =>
    makeGithubForge({
      ask: (use) => client.asInstallation(installationId, use),
      readLog: async function* (path, extent) {
        const authorization = `Bearer ${await client.tokenOf(installationId)}`;
        yield* gatedLog(gate, `installation:${installationId}`, priority, () =>
          readLog(guardedFetch, config.forgeApiUrl + path, authorization, extent),
        );
      },
      listRepositories: async (octokit, page) => {
        const { data, headers } = await octokit.request('GET /installation/repositories', {
          page,
          per_page: 100,
        });
        return { items: data.repositories, isLast: isLastPage(headers) };
      },
    });
  const ofToken = (token: AccessToken, at: ForgeGate, connection: string): Forge =>
    makeTokenForge({ gate: at, priority, guardedFetch, log, connection }, token);
  const connect: Forges['ofConnection'] = async (integrationId, installationId) => {
    if (installationId !== null) {
      if (application === undefined) throw new ForgeError(503, 'No forge application is configured.');
      return ofInstallation(application, installationId);
    }
    const token = await openToken({ db, sealer }, integrationId);
    if (token === undefined) throw new ForgeError(401, 'There is no access token.');
    return ofToken(token, gate, connectionName(integrationId, null));
  };
  return {
    application,
    ofToken: (token) => ofToken(token, openGate, ''),
    refusal: guardedFetch.refusal,
    keepPlace: (integrationId, installationId) =>
      gate.keepPlace(connectionName(integrationId, installationId)),
    ofConnection: async (integrationId, installationId) =>
      byStoredIds(await connect(integrationId, installationId)),
    ofRepository: async (integrationId, repository) => {
      const found = await db.withScope({ integrationId }, (tx) =>
        findConnectionOf(tx, integrationId, repository),
      );
      if (found === undefined || (found.installationId !== null && application === undefined))
        return undefined;
      return byStoredIds(await connect(integrationId, found.installationId), found.fullName);
    },
  };
}

/** Takes ids of runs and jobs as they are stored. With `fullName`, also the stored name of that repository. */
export function byStoredIds(forge: Forge, fullName?: string): Forge {
  const nameOf = (repository: string): string => fullName ?? repository;
  return {
    ...forge,
    readRun: (repository, run) => forge.readRun(nameOf(repository), idAtForge(run)),
    readAttempt: (repository, run, attempt) => forge.readAttempt(nameOf(repository), idAtForge(run), attempt),
    listJobs: (repository, run) => forge.listJobs(nameOf(repository), idAtForge(run)),
    readJobLog: (repository, job, extent) => forge.readJobLog(nameOf(repository), idAtForge(job), extent),
    listArtifacts: (repository, run) => forge.listArtifacts(nameOf(repository), idAtForge(run)),
    readArtifact: (repository, artifact) => forge.readArtifact(nameOf(repository), artifact),
    listAnnotations: (repository, job) => forge.listAnnotations(nameOf(repository), idAtForge(job)),
    rerunFailed: (repository, run) => forge.rerunFailed(nameOf(repository), idAtForge(run)),
    rerunAll: (repository, run) => forge.rerunAll(nameOf(repository), idAtForge(run)),
    rerunJob: (repository, run, job) => forge.rerunJob(nameOf(repository), idAtForge(run), idAtForge(job)),
    cancel: (repository, run) => forge.cancel(nameOf(repository), idAtForge(run)),
  };
}

/** At the gate. All integrations share the calls of an installation. */
const connectionName = (integrationId: string, installationId: string | null): string =>
  installationId === null ? `token:${integrationId}` : `installation:${installationId}`;

/**
 * A forge that a person enters is reached like an alert channel, the forge of the operator and the one of the sample traffic at
 * any address.
 */
function guardedFetchOf(config: Config, sampleForgeUrl: string | undefined): GuardedFetch {
  const { forgeUrl, forgeApiUrl, alertAllowedNetworks: allowedNetworks, alertAllowedPorts } = config;
  return makeGuardedFetch({
    allowedNetworks,
    allowedPorts: alertAllowedPorts,
    trustedOrigins: [forgeUrl, forgeApiUrl, sampleForgeUrl ?? forgeUrl].map((url) => new URL(url).origin),
    mayUseHttp: true,
    keepsConnections: true,
  });
}
