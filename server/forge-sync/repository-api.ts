import type { Octokit } from '@octokit/core';
import { isLastPage, statusOf, unlessMissing, type ForgeClient } from '#server/forge-app/forge-client.ts';

export interface ForgeRepository {
  id: number;
  /** `owner/name`. */
  name: string;
  defaultBranch: string | null;
}

export interface Hook {
  url: string;
  secret: string;
  events: readonly string[];
  isActive: boolean;
}

/** REST calls about the repositories of an installation. Objects have the shape that the forge sends. */
export interface RepositoryApi {
  /** Without archived and disabled repositories: they run nothing. */
  listRepositories(installationId: string): Promise<ForgeRepository[]>;
  /** One page of runs, newest first. Pages start at 1. */
  listRuns(installationId: string, repository: string, page: number): Promise<RunPage>;
  /** Undefined when the run was deleted. */
  readRun(installationId: string, repository: string, runId: number): Promise<unknown>;
  readAttempt(installationId: string, repository: string, runId: number, attempt: number): Promise<unknown>;
  /** The jobs of all attempts. */
  listJobs(installationId: string, repository: string, runId: number): Promise<unknown[]>;
  /** One page of pull requests, most recently changed first. Pages start at 1. */
  listPullRequests(installationId: string, repository: string, page: number): Promise<PullRequestPage>;
  /** Creates or updates the hook and returns its id. */
  saveHook(
    installationId: string,
    repository: string,
    hook: Hook,
    hookId: number | undefined,
  ): Promise<number>;
  removeHook(installationId: string, repository: string, hookId: number): Promise<void>;
}

export interface RunPage {
  runs: { id: number | bigint; created_at: string }[];
  isLast: boolean;
}

export interface PullRequestPage {
  pullRequests: { updated_at: string; merged_at: string | null }[];
  isLast: boolean;
}

/** Each run needs another call for its jobs. */
const pageSize = 30;

export function makeRepositoryApi({ asInstallation }: ForgeClient): RepositoryApi {
  return {
    listRepositories: (installationId) =>
      asInstallation(installationId, async (octokit) => {
        const found = await readAllPages(async (page) => {
          const { data, headers } = await octokit.request('GET /installation/repositories', {
            page,
            per_page: 100,
          });
          return { items: data.repositories, isLast: isLastPage(headers) };
        });
        return found
          .filter(({ archived, disabled }) => !archived && !disabled)
          .map(({ id, full_name: name, default_branch: defaultBranch }) => ({
            id: Number(id),
            name,
            defaultBranch,
          }));
      }),
    listRuns: (installationId, repository, page) =>
      asInstallation(installationId, async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/actions/runs', {
            ...parts(repository),
            page,
            per_page: pageSize,
          }),
        );
        if (found === undefined) return { runs: [], isLast: true };
        return { runs: found.data.workflow_runs, isLast: isLastPage(found.headers) };
      }),
    readRun: (installationId, repository, runId) =>
      asInstallation(installationId, async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}', {
            ...parts(repository),
            run_id: runId,
          }),
        );
        return found?.data;
      }),
    readAttempt: (installationId, repository, runId, attempt) =>
      asInstallation(installationId, async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}', {
            ...parts(repository),
            run_id: runId,
            attempt_number: attempt,
          }),
        );
        return found?.data;
      }),
    listJobs: (installationId, repository, runId) =>
      asInstallation(installationId, async (octokit) =>
        readAllPages(async (page) => {
          const { data, headers } = await octokit.request(
            'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
            { ...parts(repository), run_id: runId, filter: 'all', page, per_page: 100 },
          );
          return { items: data.jobs, isLast: isLastPage(headers) };
        }),
      ),
    listPullRequests: (installationId, repository, page) =>
      asInstallation(installationId, async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/pulls', {
            ...parts(repository),
            state: 'all',
            sort: 'updated',
            direction: 'desc',
            page,
            per_page: 100,
          }),
        );
        if (found === undefined) return { pullRequests: [], isLast: true };
        return { pullRequests: found.data, isLast: isLastPage(found.headers) };
      }),
    saveHook: (installationId, repository, hook, hookId) =>
      asInstallation(installationId, async (octokit) => {
        if (hookId !== undefined && (await changeHook(octokit, repository, hook, hookId))) return hookId;
        return makeHook(octokit, repository, hook);
      }),
    removeHook: (installationId, repository, hookId) =>
      asInstallation(installationId, async (octokit) => {
        await unlessMissing(
          octokit.request('DELETE /repos/{owner}/{repo}/hooks/{hook_id}', {
            ...parts(repository),
            hook_id: hookId,
          }),
        );
      }),
  };
}

async function readAllPages<Item>(
  readPage: (page: number) => Promise<{ items: Item[]; isLast: boolean }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { items, isLast } = await readPage(page);
    all.push(...items);
    if (isLast) return all;
  }
}

function parts(repository: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
}

const body = ({ url, secret, events, isActive }: Hook) => ({
  active: isActive,
  events: [...events],
  config: { url, secret, content_type: 'json' },
});

/** False when the hook does not exist, for example because somebody deleted it at the forge. */
async function changeHook(
  octokit: Octokit,
  repository: string,
  hook: Hook,
  hookId: number,
): Promise<boolean> {
  const changed = await unlessMissing(
    octokit.request('PATCH /repos/{owner}/{repo}/hooks/{hook_id}', {
      ...parts(repository),
      hook_id: hookId,
      ...body(hook),
    }),
  );
  return changed !== undefined;
}

/** The forge refuses a second hook with the same URL: a manually created one is reused. */
async function makeHook(octokit: Octokit, repository: string, hook: Hook): Promise<number> {
  try {
    const { data } = await octokit.request('POST /repos/{owner}/{repo}/hooks', {
      ...parts(repository),
      name: 'web',
      ...body(hook),
    });
    return data.id;
  } catch (error) {
    if (statusOf(error) !== 422) throw error;
    const hooks = await readAllPages(async (page) => {
      const { data, headers } = await octokit.request('GET /repos/{owner}/{repo}/hooks', {
        ...parts(repository),
        page,
        per_page: 100,
      });
      return { items: data, isLast: isLastPage(headers) };
    });
    const same = hooks.find(({ config }) => config.url === hook.url);
    if (same === undefined || !(await changeHook(octokit, repository, hook, same.id))) throw error;
    return same.id;
  }
}
