import type { Octokit } from '@octokit/core';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import { commitsOf, filesOf, totalOf } from '#server/forges/commits.ts';
import { ActionNotOffered, notTheForge, statusOf } from '#server/forges/errors.ts';
import {
  artifactPath,
  mostArtifactPages,
  partsOf,
  readAllPages,
  unlessMissing,
} from '#server/forges/github/octokit-calls.ts';
import { listed, listedArtifacts, listedPullRequests, listedRuns } from '#server/forges/listed.ts';
import type { Forge, LogExtent } from '#server/forges/port.ts';
import { runOfForgejo, timeOf } from './adapt-forgejo.ts';
import { jobFromGitea, runFromGitea } from './adapt-gitea.ts';
import { callForge, listPage } from './gitea-calls.ts';
import { removeGiteaWebhook, saveGiteaWebhook } from './gitea-webhooks.ts';

export interface GiteaCalls {
  kind: 'gitea' | 'forgejo';
  ask<T>(use: (octokit: Octokit) => Promise<T>): Promise<T>;
  /** Reads a log or an artifact at a path of the API. */
  readLog(path: string, extent?: LogExtent): AsyncIterable<Uint8Array>;
}

const actions = '/repos/{owner}/{repo}/actions';

/** Gitea from 1.25 and Forgejo. Neither has annotations or attempts; Forgejo reports jobs without times, so they are left out. */
export function makeGiteaForge(calls: GiteaCalls): Forge {
  const { kind, ask } = calls;
  const runOf = kind === 'gitea' ? runOfGitea : runOfForgejo;
  const readRun: Forge['readRun'] = (repository, runId) =>
    ask(async (octokit) => {
      const run = { ...partsOf(repository), run: runId };
      const found = await unlessMissing(callForge(octokit, `GET ${actions}/runs/{run}`, run));
      return found && runOf(fields(found.data));
    });
  return {
    verifyAccount: () =>
      ask(async (octokit) => {
        const login = fields((await callForge(octokit, 'GET /user', {})).data)['login'];
        if (typeof login !== 'string' || login === '') throw notTheForge();
        return { login: login.slice(0, 255), permissions: [], expiresAt: undefined };
      }),
    ...readLists(calls, runOf),
    readRun,
    readAttempt: async () => undefined,
    ...readJobs(calls),
    ...readCommits(calls),
    ...readArtifactsOf(calls),
    listAnnotations: async () => [],
    readRequiredChecks: (repository, branch) =>
      ask(async (octokit) => {
        const { data } = await callForge(octokit, 'GET /repos/{owner}/{repo}/branches/{branch}', {
          ...partsOf(repository),
          branch,
        });
        const { enable_status_check: isOn, status_check_contexts: contexts } = fields(data);
        // Without a list these forges require every check that is reported.
        const checks = Array.isArray(contexts) && contexts.length > 0 ? contexts : ['*'];
        return {
          checks: isOn === true ? checks.filter((check) => typeof check === 'string') : [],
          arePatterns: true,
        };
      }),
    saveWebhook: (repository, webhook, webhookId) =>
      ask((octokit) => saveGiteaWebhook(octokit, kind, repository, webhook, webhookId)),
    removeWebhook: (repository, webhookId) =>
      ask((octokit) => removeGiteaWebhook(octokit, repository, webhookId)),
    ...actAtGitea(calls, readRun),
  };
}

function readLists(
  { ask }: GiteaCalls,
  runOf: (run: Fields) => Fields,
): Pick<Forge, 'listRepositories' | 'listRuns' | 'listPullRequests'> {
  return {
    listRepositories: () =>
      ask(async (octokit) => {
        const found = await readAllPages((page) => listPage(octokit, '/user/repos', { page }));
        return found.flatMap((repository) => repositoryOf(repository) ?? []);
      }),
    listRuns: (repository, page) =>
      ask(async (octokit) => {
        const { items, isLast } = await listPage(octokit, `${actions}/runs`, {
          ...partsOf(repository),
          key: 'workflow_runs',
          page,
        });
        return { runs: listedRuns(items.map(runOf)), isLast };
      }),
    listPullRequests: (repository, page) =>
      ask(async (octokit) => {
        const { items, isLast } = await listPage(octokit, '/repos/{owner}/{repo}/pulls', {
          ...partsOf(repository),
          state: 'all',
          sort: 'recentupdate',
          page,
        });
        return { pullRequests: listedPullRequests(items), isLast };
      }),
  };
}

function readJobs({ kind, ask, readLog }: GiteaCalls): Pick<Forge, 'listJobs' | 'readJobLog'> {
  return {
    listJobs: (repository, runId) =>
      ask(async (octokit) => {
        if (kind === 'forgejo') return [];
        const jobs = await readAllPages((page) =>
          listPage(octokit, `${actions}/runs/{run}/jobs`, {
            ...partsOf(repository),
            run: runId,
            key: 'jobs',
            page,
          }),
        );
        return jobs.map((job) => jobFromGitea({ workflow_job: job })['workflow_job']);
      }),
    readJobLog: (repository, jobId, extent) => {
      const { owner, repo } = partsOf(repository);
      return readLog(
        `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/actions/jobs/${jobId}/logs`,
        extent,
      );
    },
  };
}

/** Gitea lists all artifacts of a run at once, from 1.24 on. */
function readArtifactsOf({ kind, ask, readLog }: GiteaCalls): Pick<Forge, 'listArtifacts' | 'readArtifact'> {
  const route = `${actions}/runs/{run}/artifacts`;
  return {
    listArtifacts: (repository, runId) =>
      ask(async (octokit) => {
        const run = { ...partsOf(repository), run: runId };
        if (kind === 'gitea') {
          const { data } = await callForge(octokit, `GET ${route}`, run);
          return listedArtifacts(listed(fields(data)['artifacts']));
        }
        const readPage = (page: number) => listPage(octokit, route, { ...run, key: 'artifacts', page });
        return listedArtifacts(await readAllPages(readPage, mostArtifactPages));
      }),
    readArtifact: (repository, artifactId) => readLog(artifactPath(repository, artifactId), 'whole'),
  };
}

/** These forges answer with all commits at once, newest first, and with the files of each. */
function readCommits({ ask }: GiteaCalls): Pick<Forge, 'compareCommits' | 'listFilesOf'> {
  return {
    compareCommits: (repository, base, head, most) =>
      ask(async (octokit) => {
        const { data } = await callForge(octokit, 'GET /repos/{owner}/{repo}/compare/{basehead}', {
          ...partsOf(repository),
          basehead: `${base}...${head}`,
        });
        const listed = commitsOf(fields(data)['commits']);
        const commits = listed[0]?.sha === head ? listed.toReversed() : listed;
        return { total: totalOf(fields(data), commits.length), commits: commits.slice(-most) };
      }),
    listFilesOf: (repository, sha) =>
      ask(async (octokit) => {
        const found = await unlessMissing(
          callForge(octokit, 'GET /repos/{owner}/{repo}/git/commits/{sha}', { ...partsOf(repository), sha }),
        );
        return found && filesOf(fields(found.data)['files']);
      }),
  };
}

function actAtGitea(
  { ask }: GiteaCalls,
  readRun: Forge['readRun'],
): Pick<Forge, 'rerunFailed' | 'rerunAll' | 'rerunJob' | 'cancel'> {
  /** A forge that lacks the route answers as if the run was missing. */
  const act = async (repository: string, runId: number, route: string, more: object = {}): Promise<void> => {
    try {
      await ask((octokit) =>
        callForge(octokit, `POST ${actions}/runs/{run}${route}`, {
          ...partsOf(repository),
          run: runId,
          ...more,
        }),
      );
    } catch (error) {
      const status = statusOf(error);
      const isUnknown = status === 404 || status === 405;
      if (isUnknown && (await readRun(repository, runId)) !== undefined) throw new ActionNotOffered();
      throw error;
    }
  };
  return {
    rerunFailed: (repository, runId) => act(repository, runId, '/rerun-failed-jobs'),
    rerunAll: (repository, runId) => act(repository, runId, '/rerun'),
    rerunJob: (repository, runId, jobId) => act(repository, runId, '/jobs/{job}/rerun', { job: jobId }),
    cancel: (repository, runId) => act(repository, runId, '/cancel'),
  };
}

/** Gitea's API has no time of creation. A run that has not started is as new as the answer. */
function runOfGitea(run: Fields): Fields {
  const startedAt = timeOf(run['started_at']);
  const adapted = fields(runFromGitea({ workflow_run: run })['workflow_run']);
  const createdAt = run['created_at'] ?? startedAt ?? new Date().toISOString();
  return {
    ...adapted,
    created_at: createdAt,
    started_at: startedAt,
    completed_at: timeOf(run['completed_at']),
  };
}

function repositoryOf(repository: Fields) {
  const {
    full_name: name,
    default_branch: defaultBranch,
    archived,
    permissions,
    has_actions: actionsOn,
  } = repository;
  if (typeof name !== 'string' || archived === true || actionsOn === false) return undefined;
  return {
    name,
    defaultBranch: typeof defaultBranch === 'string' ? defaultBranch : null,
    mayAdminister: fields(permissions)['admin'] === true,
  };
}
