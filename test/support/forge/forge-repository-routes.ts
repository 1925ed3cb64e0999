import type { ApiRequest } from './published-api.ts';
import type { RequestListener } from 'node:http';
import { branchObject, branchRules } from '#server/simulate/sample-forge/sample-branches.ts';
import { commitObject, comparisonObject } from '#server/simulate/sample-forge/sample-commits.ts';
import { artifactObject } from '#server/simulate/sample-forge/sample-artifacts.ts';
import {
  fullRepository,
  type ForgeWebhook,
  type ForgeRepositoryState,
  type TestArtifact,
  type Json,
} from './forge-repositories.ts';

/** What a call is answered with. `hasNext` says that there is a next page. */
export interface ForgeAnswer {
  status: number;
  body?: unknown;
  hasNext?: boolean;
  /** Instead of a body. */
  log?: string | Buffer | RequestListener;
  location?: string;
}

/** The forge's REST API of repositories, as far as the application uses it. */
export function answerRepositories(
  repositories: readonly ForgeRepositoryState[],
  { method, path, query, body: asked }: ApiRequest,
): ForgeAnswer {
  const pageOf = <T>(items: readonly T[]): { page: T[]; hasNext: boolean } => {
    const size = Number(query.get('per_page') ?? 30);
    const number = Number(query.get('page') ?? 1);
    return { page: items.slice((number - 1) * size, number * size), hasNext: items.length > number * size };
  };
  if (path === '/installation/repositories') {
    const { page, hasNext } = pageOf(repositories);
    const body = { total_count: repositories.length, repositories: page.map(fullRepository) };
    return { status: 200, body, hasNext };
  }
  if (path.startsWith('/stored-logs/')) {
    const id = Number(path.split('/').at(-1));
    const artifact = repositories.flatMap((each) => each.artifacts).find((each) => each.id === id);
    if (artifact !== undefined) return { status: 200, log: artifact.bytes };
    return { status: 200, log: repositories.find(({ logs }) => logs.has(id))?.logs.get(id) ?? '' };
  }
  const [, , owner, name, ...rest] = path.split('/');
  const repository = repositories.find((each) => each.name === `${owner}/${name}`);
  if (repository === undefined) return { status: 404 };
  if (rest[0] === 'hooks') {
    return answerWebhooks(repository, method, Number(rest[1]), (asked ?? {}) as Partial<ForgeWebhook>);
  }
  if (rest[0] === 'pulls') {
    const { page, hasNext } = pageOf(repository.pullRequests);
    return { status: 200, body: page, hasNext };
  }
  if (rest[0] === 'compare' || rest[0] === 'commits')
    return answerCommits(repository, rest[0], rest[1] ?? '');
  if (rest[0] === 'rules') {
    const { page, hasNext } = pageOf(branchRules(repository.rules ?? []));
    return repository.rules === undefined ? { status: 403 } : { status: 200, body: page, hasNext };
  }
  if (rest[0] === 'branches')
    return { status: 200, body: branchObject(apiUrl, repository.name, rest[1] ?? '', repository.protection) };
  if (rest[0] === 'check-runs')
    return { status: 200, body: repository.annotations.get(Number(rest[1])) ?? [] };
  if (rest[0] !== 'actions') return { status: 404 };
  if (rest[1] === 'runs' && rest[2] === undefined) {
    const { page, hasNext } = pageOf(repository.runs);
    const body = {
      total_count: repository.runs.length,
      workflow_runs: page.map((run) => run.attempts.at(-1)),
    };
    return { status: 200, body, hasNext };
  }
  if (rest[1] === 'jobs' && rest[3] === 'logs') {
    return repository.logs.has(Number(rest[2]))
      ? { status: 302, location: `/stored-logs/${rest[2]}` }
      : { status: 404 };
  }
  if (rest[1] === 'jobs' && rest[3] === 'rerun')
    return repository.runs.some(({ jobs }) => jobs.some((job) => job['id'] === Number(rest[2])))
      ? { status: 201, body: {} }
      : { status: 404 };
  if (rest[1] === 'artifacts')
    return repository.artifacts.some(({ id }) => id === Number(rest[2]))
      ? { status: 302, location: `/stored-logs/${rest[2]}` }
      : { status: 404 };
  if (rest[1] !== 'runs') return { status: 404 };
  if (rest[3] === 'artifacts') {
    const artifacts = repository.artifacts.filter(({ runId }) => runId === Number(rest[2]));
    const { page, hasNext } = pageOf(artifacts);
    return {
      status: 200,
      body: { total_count: artifacts.length, artifacts: page.map(listedArtifact) },
      hasNext,
    };
  }
  const run = repository.runs.find(({ id }) => id === Number(rest[2]));
  if (run === undefined) return { status: 404 };
  if (rest[3]?.startsWith('rerun') === true) return { status: 201, body: {} };
  if (rest[3] === 'cancel') return { status: 202, body: {} };
  if (rest[3] === 'jobs') {
    const { page, hasNext } = pageOf(run.jobs);
    return {
      status: 200,
      body: { total_count: run.jobs.length, jobs: page },
      hasNext,
    };
  }
  const attempt = rest[3] === 'attempts' ? run.attempts[Number(rest[4]) - 1] : run.attempts.at(-1);
  return attempt === undefined ? { status: 404 } : { status: 200, body: attempt };
}

const apiUrl = 'https://forge.example/api';

function listedArtifact({ id, name, runId, bytes, createdAt = new Date(), said }: TestArtifact): Json {
  const size = Buffer.isBuffer(bytes) ? bytes.length : 1000;
  const run = { id: runId, headBranch: 'main', headSha: '0'.repeat(40) };
  return { ...artifactObject(apiUrl, { id, name, size, createdAt: createdAt.toISOString(), run }), ...said };
}

function answerCommits(
  { name, commits }: ForgeRepositoryState,
  kind: 'compare' | 'commits',
  at: string,
): ForgeAnswer {
  const indexOf = (sha: string | undefined) => commits.findIndex((commit) => commit.sha === sha);
  const [base, head = base] = at.split('...').map(indexOf);
  if (base === undefined || head === undefined || base < 0 || head < 0) return { status: 404 };
  const body =
    kind === 'commits'
      ? commitObject(apiUrl, name, commits[base]!)
      : comparisonObject(apiUrl, name, commits[base]!, commits.slice(base + 1, head + 1));
  return { status: 200, body };
}

let webhookIds = 1000;

function answerWebhooks(
  repository: ForgeRepositoryState,
  method: string,
  id: number,
  body: Partial<ForgeWebhook>,
): ForgeAnswer {
  if (method === 'GET') return { status: 200, body: repository.webhooks.map(presentWebhook) };
  if (repository.refusesWebhooks !== undefined) return { status: repository.refusesWebhooks };
  if (method === 'POST') {
    if (repository.webhooks.some(({ config }) => config.url === body.config?.url)) return { status: 422 };
    const webhook = { ...body, id: ++webhookIds } as ForgeWebhook;
    repository.webhooks.push(webhook);
    return { status: 201, body: presentWebhook(webhook) };
  }
  const webhook = repository.webhooks.find((each) => each.id === id);
  if (webhook === undefined) return { status: 404 };
  if (method === 'DELETE') {
    repository.webhooks = repository.webhooks.filter((each) => each !== webhook);
    return { status: 204 };
  }
  Object.assign(webhook, body);
  return { status: 200, body: presentWebhook(webhook) };
}

function presentWebhook({ id, active, events, config }: ForgeWebhook): Json {
  const url = `https://forge.example/hooks/${id}`;
  return {
    id,
    type: 'Repository',
    name: 'web',
    active,
    events,
    config: { ...config, secret: '********', insecure_ssl: '0' },
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    created_at: '2026-11-01T00:00:00Z',
    updated_at: '2026-11-01T00:00:00Z',
    last_response: { code: null, status: 'unused', message: null },
  };
}
