import type { Octokit } from '@octokit/core';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import { commitsOf, filesOf, totalOf } from '#server/forges/commits.ts';
import { listed, listedArtifacts, listedPullRequests, listedRuns } from '#server/forges/listed.ts';
import type { Forge, ForgeCommit, LogExtent, Annotation, ForgeAccount } from '#server/forges/port.ts';
import { notTheForge } from '#server/forges/errors.ts';
import { removeGithubWebhook, saveGithubWebhook } from './github-webhooks.ts';
import {
  artifactPath,
  isLastPage,
  mostArtifactPages,
  partsOf,
  readAllPages,
  unlessMissing,
  withForgeErrors,
} from './octokit-calls.ts';

/** Calls the REST API through one connection. */
export interface GithubCalls {
  ask<T>(use: (octokit: Octokit) => Promise<T>): Promise<T>;
  /** Reads a log or an artifact at a path of the API. */
  readLog(path: string, extent?: LogExtent): AsyncIterable<Uint8Array>;
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

export function makeGithubForge(calls: GithubCalls): Forge {
  const { ask } = calls;
  return {
    verifyAccount: () => ask(readGithubAccount),
    ...readLists(calls),
    ...readRuns(calls),
    ...readArtifacts(calls),
    ...readCommits(calls),
    ...actAtGithub(calls),
    readRequiredChecks: (repository, branch) =>
      ask(async (octokit) => ({
        checks: [
          ...(await readRulesetChecks(octokit, repository, branch)),
          ...(await readProtectionChecks(octokit, repository, branch)),
        ],
        arePatterns: false,
      })),
    saveWebhook: (...given) => ask((octokit) => saveGithubWebhook(octokit, ...given)),
    removeWebhook: (...given) => ask((octokit) => removeGithubWebhook(octokit, ...given)),
  };
}

function readLists({
  ask,
  listRepositories,
}: GithubCalls): Pick<Forge, 'listRepositories' | 'listRuns' | 'listPullRequests'> {
  return {
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
        return { runs: listedRuns(found.data.workflow_runs), isLast: isLastPage(found.headers) };
      }),
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
        return { pullRequests: listedPullRequests(found.data), isLast: isLastPage(found.headers) };
      }),
  };
}

/** Runs with their jobs, logs and annotations. */
function readRuns({
  ask,
  readLog,
}: GithubCalls): Pick<Forge, 'readRun' | 'readAttempt' | 'listJobs' | 'readJobLog' | 'listAnnotations'> {
  return {
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
          return { items: listed(data.jobs), isLast: isLastPage(headers) };
        }),
      ),
    readJobLog: (repository, jobId, extent) => {
      const { owner, repo } = partsOf(repository);
      return readLog(
        `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/actions/jobs/${jobId}/logs`,
        extent,
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
  };
}

function readArtifacts({ ask, readLog }: GithubCalls): Pick<Forge, 'listArtifacts' | 'readArtifact'> {
  return {
    listArtifacts: (repository, runId) =>
      ask(async (octokit) =>
        readAllPages(async (page) => {
          const { data, headers } = await octokit.request(
            'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
            { ...partsOf(repository), run_id: runId, page, per_page: 100 },
          );
          return { items: listedArtifacts(listed(data.artifacts)), isLast: isLastPage(headers) };
        }, mostArtifactPages),
      ),
    readArtifact: (repository, artifactId) => readLog(artifactPath(repository, artifactId), 'whole'),
  };
}

/** A page of a comparison has at most 100 commits. The first page lists the files of all commits together. */
const commitsPerPage = 100;

function readCommits({ ask }: GithubCalls): Pick<Forge, 'compareCommits' | 'listFilesOf'> {
  return {
    compareCommits: (repository, base, head, most) =>
      ask(async (octokit) => {
        const commits: ForgeCommit[] = [];
        let total = 0;
        let files: string[] | undefined;
        for (let page = 1; ; page += 1) {
          const { data, headers } = await octokit.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
            ...partsOf(repository),
            basehead: `${base}...${head}`,
            page,
            per_page: commitsPerPage,
          });
          const found = commitsOf(data.commits);
          commits.push(...found);
          total = totalOf(fields(data), commits.length);
          if (page === 1 && Array.isArray(data.files)) files = filesOf(data.files);
          if (found.length === 0 || isLastPage(headers) || commits.length >= most) break;
        }
        const [only, ...others] = commits;
        if (only !== undefined && others.length === 0 && total === 1) only.files ??= files;
        return { total, commits: commits.slice(0, most) };
      }),
    listFilesOf: (repository, sha) =>
      ask(async (octokit) => {
        const found = await unlessMissing(
          octokit.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...partsOf(repository), ref: sha }),
        );
        return found && filesOf(found.data.files);
      }),
  };
}

function actAtGithub({ ask }: GithubCalls): Pick<Forge, 'rerunFailed' | 'rerunAll' | 'rerunJob' | 'cancel'> {
  const act = async (repository: string, id: number, route: string): Promise<void> => {
    await ask((octokit) =>
      octokit.request(`POST /repos/{owner}/{repo}/actions/${route}`, { ...partsOf(repository), id }),
    );
  };
  return {
    rerunFailed: (repository, runId) => act(repository, runId, 'runs/{id}/rerun-failed-jobs'),
    rerunAll: (repository, runId) => act(repository, runId, 'runs/{id}/rerun'),
    rerunJob: (repository, _runId, jobId) => act(repository, jobId, 'jobs/{id}/rerun'),
    cancel: (repository, runId) => act(repository, runId, 'runs/{id}/cancel'),
  };
}

/** From rulesets of repository and organization. Older servers have none. */
async function readRulesetChecks(octokit: Octokit, repository: string, branch: string): Promise<string[]> {
  const rules = await readAllPages(async (page) => {
    const found = await unlessMissing(
      octokit.request('GET /repos/{owner}/{repo}/rules/branches/{branch}', {
        ...partsOf(repository),
        branch,
        page,
        per_page: 100,
      }),
    );
    return { items: listed(found?.data), isLast: found === undefined || isLastPage(found.headers) };
  });
  return rules.flatMap(({ type, parameters }) =>
    type === 'required_status_checks' ? contextsOf(listed(fields(parameters)['required_status_checks'])) : [],
  );
}

/** From the protection of the branch, whose details need more rights than its page. */
async function readProtectionChecks(octokit: Octokit, repository: string, branch: string): Promise<string[]> {
  const { data } = await withForgeErrors(() =>
    octokit.request('GET /repos/{owner}/{repo}/branches/{branch}', { ...partsOf(repository), branch }),
  );
  const { required_status_checks: required } = fields(fields(data)['protection']);
  const { enforcement_level: level, contexts } = fields(required);
  return level === 'off' || !Array.isArray(contexts)
    ? []
    : contexts.filter((context) => typeof context === 'string');
}

const contextsOf = (checks: readonly Fields[]): string[] =>
  checks.flatMap(({ context }) => (typeof context === 'string' ? [context] : []));

/** Leaves out entries without path or line: one of them must not block the logs of other jobs. */
function annotationsOf(list: unknown): Annotation[] {
  return Array.isArray(list) ? list.flatMap((each) => annotationOf(each) ?? []) : [];
}

function annotationOf(value: unknown): Annotation | undefined {
  const { annotation_level: level, title, message, path, start_line: line } = fields(value);
  if (typeof path !== 'string' || typeof line !== 'number') return undefined;
  return {
    level: level === 'failure' || level === 'warning' ? level : 'notice',
    title: typeof title === 'string' ? title : null,
    message: typeof message === 'string' ? message : '',
    path,
    line,
  };
}

/** Classic tokens name their scopes in a header, fine-grained ones do not. Both name their expiry. */
async function readGithubAccount(octokit: Octokit): Promise<ForgeAccount> {
  const { data, headers } = await octokit.request('GET /user');
  const { 'x-oauth-scopes': scopes, 'github-authentication-token-expiration': expiry } = headers as Record<
    string,
    string | undefined
  >;
  const at = Date.parse(expiry ?? '');
  const login: unknown = Object(data).login;
  if (typeof login !== 'string' || login === '') throw notTheForge();
  return {
    login: login.slice(0, 255),
    permissions: (scopes ?? '')
      .slice(0, 1000)
      .split(',')
      .map((scope) => scope.trim())
      .filter((scope) => scope !== ''),
    expiresAt: Number.isNaN(at) ? undefined : new Date(at),
  };
}
