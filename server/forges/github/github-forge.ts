import type { Octokit } from '@octokit/core';
import { statusOf } from '#server/forges/errors.ts';
import type { Forge, RepositoryWebhook } from '#server/forges/port.ts';
import { annotationsOf } from './annotations.ts';
import { readGithubAccount } from './github-account.ts';
import { isLastPage, partsOf, readAllPages, unlessMissing, withForgeErrors } from './octokit-calls.ts';

/** Calls the REST API through one connection. */
export interface GithubCalls {
  ask<T>(use: (octokit: Octokit) => Promise<T>): Promise<T>;
  /** Reads a log at a path of the API. */
  readLog(path: string): AsyncIterable<Uint8Array>;
  /** Which repositories the connection sees. */
  listRepositories(octokit: Octokit, page: number): Promise<{ items: GithubRepository[]; isLast: boolean }>;
}

/** The part of a listed repository that is used. */
export interface GithubRepository {
  full_name: string;
  default_branch: string;
  archived: boolean;
  disabled: boolean;
  permissions?: { admin: boolean };
}

/** Each run needs another call for its jobs. */
const pageSize = 30;

export function makeGithubForge({ ask, readLog, listRepositories }: GithubCalls): Forge {
  return {
    verifyAccount: () => ask(readGithubAccount),
    listRepositories: () =>
      ask(async (octokit) => {
        const found = await readAllPages((page) => listRepositories(octokit, page));
        return found
          .filter(({ archived, disabled }) => !archived && !disabled)
          .map(({ full_name: name, default_branch: defaultBranch, permissions }) => ({
            name,
            defaultBranch,
            mayAdminister: permissions?.admin === true,
          }));
      }),
    listRuns: (repository, page) =>
      ask(async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/actions/runs', {
            ...partsOf(repository),
            page,
            per_page: pageSize,
          }),
        );
        if (found === undefined) return { runs: [], isLast: true };
        return { runs: found.data.workflow_runs, isLast: isLastPage(found.headers) };
      }),
    readRun: (repository, runId) =>
      ask(async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}', {
            ...partsOf(repository),
            run_id: runId,
          }),
        );
        return found?.data;
      }),
    readAttempt: (repository, runId, attempt) =>
      ask(async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}', {
            ...partsOf(repository),
            run_id: runId,
            attempt_number: attempt,
          }),
        );
        return found?.data;
      }),
    listJobs: (repository, runId) =>
      ask(async (octokit) =>
        readAllPages(async (page) => {
          const { data, headers } = await octokit.request(
            'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
            { ...partsOf(repository), run_id: runId, filter: 'all', page, per_page: 100 },
          );
          return { items: data.jobs, isLast: isLastPage(headers) };
        }),
      ),
    listPullRequests: (repository, page) =>
      ask(async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/pulls', {
            ...partsOf(repository),
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
    readJobLog: (repository, jobId) => {
      const { owner, repo } = partsOf(repository);
      return readLog(
        `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/actions/jobs/${jobId}/logs`,
      );
    },
    listAnnotations: (repository, jobId) =>
      ask(async (octokit) => {
        // The id of a job of GitHub Actions is the id of its check run.
        const { data } = await octokit.request(
          'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
          { ...partsOf(repository), check_run_id: jobId, per_page: 100 },
        );
        return annotationsOf(data);
      }),
    saveWebhook: (repository, webhook, webhookId) =>
      ask(async (octokit) => {
        if (webhookId !== undefined && (await changeWebhook(octokit, repository, webhook, webhookId)))
          return webhookId;
        return makeWebhook(octokit, repository, webhook);
      }),
    removeWebhook: (repository, webhookId) =>
      ask(async (octokit) => {
        await unlessMissing(
          octokit.request('DELETE /repos/{owner}/{repo}/hooks/{hook_id}', {
            ...partsOf(repository),
            hook_id: webhookId,
          }),
        );
      }),
    rerunFailed: (repository, runId) =>
      ask(async (octokit) => {
        await octokit.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs', {
          ...partsOf(repository),
          run_id: runId,
        });
      }),
    rerunAll: (repository, runId) =>
      ask(async (octokit) => {
        await octokit.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun', {
          ...partsOf(repository),
          run_id: runId,
        });
      }),
    rerunJob: (repository, _runId, jobId) =>
      ask(async (octokit) => {
        await octokit.request('POST /repos/{owner}/{repo}/actions/jobs/{job_id}/rerun', {
          ...partsOf(repository),
          job_id: jobId,
        });
      }),
    cancel: (repository, runId) =>
      ask(async (octokit) => {
        await octokit.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel', {
          ...partsOf(repository),
          run_id: runId,
        });
      }),
  };
}

const body = ({ url, secret, events, isActive }: RepositoryWebhook) => ({
  active: isActive,
  events: [...events],
  config: { url, secret, content_type: 'json' },
});

/** False when the webhook does not exist, for example because somebody deleted it at the forge. */
async function changeWebhook(
  octokit: Octokit,
  repository: string,
  webhook: RepositoryWebhook,
  webhookId: number,
): Promise<boolean> {
  const changed = await unlessMissing(
    octokit.request('PATCH /repos/{owner}/{repo}/hooks/{hook_id}', {
      ...partsOf(repository),
      hook_id: webhookId,
      ...body(webhook),
    }),
  );
  return changed !== undefined;
}

/** The forge refuses a second webhook with the same URL: a manually created one is reused. */
async function makeWebhook(
  octokit: Octokit,
  repository: string,
  webhook: RepositoryWebhook,
): Promise<number> {
  try {
    const { data } = await withForgeErrors(() =>
      octokit.request('POST /repos/{owner}/{repo}/hooks', {
        ...partsOf(repository),
        name: 'web',
        ...body(webhook),
      }),
    );
    return data.id;
  } catch (error) {
    if (statusOf(error) !== 422) throw error;
    const webhooks = await readAllPages(async (page) => {
      const { data, headers } = await octokit.request('GET /repos/{owner}/{repo}/hooks', {
        ...partsOf(repository),
        page,
        per_page: 100,
      });
      return { items: data, isLast: isLastPage(headers) };
    });
    const same = webhooks.find(({ config }) => config.url === webhook.url);
    if (same === undefined || !(await changeWebhook(octokit, repository, webhook, same.id))) throw error;
    return same.id;
  }
}
