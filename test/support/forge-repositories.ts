import type { IncomingMessage } from 'node:http';
import { webhookExamples } from './webhook-examples.ts';

export interface ForgeHook {
  id: number;
  active: boolean;
  events: string[];
  config: { url: string; secret: string; content_type: string };
}

export interface ForgeRepositoryState {
  id: number;
  /** `owner/name`. */
  name: string;
  defaultBranch: string;
  isArchived: boolean;
  hooks: ForgeHook[];
  /** Newest first, as they are listed. */
  runs: ForgeRun[];
  /** Those changed last first. */
  pullRequests: Json[];
  /** Answers every change of a hook so, when set. */
  refusesHooks: number | undefined;
}

type Json = Record<string, unknown>;
export interface ForgeRun {
  id: number;
  attempts: Json[];
  jobs: Json[];
}

/** What a call is answered with; `schema` names the forge's own, `link` says that there is a next page. */
export interface ForgeAnswer {
  status: number;
  body?: unknown;
  schema?:
    | 'installation-repositories'
    | 'pull-requests'
    | 'workflow-runs'
    | 'workflow-run'
    | 'workflow-jobs'
    | 'hooks'
    | 'hook';
  hasNext?: boolean;
}

const published = webhookExamples();
const publishedRun = published.find(
  ({ eventType, payload }) =>
    eventType === 'workflow_run' && (payload['workflow_run'] as Json)['status'] === 'completed',
)!.payload;
const publishedJob = published.find(
  ({ eventType, payload }) =>
    eventType === 'workflow_job' && (payload['workflow_job'] as Json)['status'] === 'completed',
)!.payload;

const publishedPullRequest = published.find(
  ({ eventType, payload }) =>
    eventType === 'pull_request' && (payload['pull_request'] as Json)['state'] === 'closed',
)!.payload;

let ids = 700_000;

export function newRepository(name: string, over: Partial<ForgeRepositoryState> = {}): ForgeRepositoryState {
  const id = ++ids;
  return {
    id,
    name,
    defaultBranch: 'main',
    isArchived: false,
    hooks: [],
    runs: [],
    pullRequests: [],
    refusesHooks: undefined,
    ...over,
  };
}

/** A run as the forge tells of it, made from a published one. Times are of the run; `over` is of its latest attempt. */
export function newRun(
  repository: ForgeRepositoryState,
  createdAt: Date,
  { attempts = 1, jobs = 1, ...over }: Json & { attempts?: number; jobs?: number } = {},
): ForgeRun {
  const id = ++ids;
  const at = (seconds: number) => new Date(createdAt.getTime() + seconds * 1000).toISOString();
  const minimal = {
    ...((publishedRun['workflow_run'] as Json)['repository'] as Json),
    id: repository.id,
    full_name: repository.name,
  };
  const run = (attempt: number): Json => ({
    ...(publishedRun['workflow_run'] as Json),
    id,
    run_number: id,
    display_title: `Run ${id}`,
    run_attempt: attempt,
    status: 'completed',
    conclusion: attempt === attempts ? 'success' : 'failure',
    head_branch: 'main',
    created_at: at(0),
    run_started_at: at(attempt * 100),
    updated_at: at(attempt * 100 + 60),
    repository: minimal,
    head_repository: minimal,
    ...(attempt === attempts ? over : {}),
  });
  const numbers = Array.from({ length: attempts }, (_, index) => index + 1);
  const job = (attempt: number): Json => ({
    ...(publishedJob['workflow_job'] as Json),
    id: ++ids,
    run_id: id,
    run_attempt: attempt,
    conclusion: attempt === attempts ? 'success' : 'failure',
    head_branch: 'main',
    created_at: at(attempt * 100),
    started_at: at(attempt * 100 + 5),
    completed_at: at(attempt * 100 + 55),
  });
  return {
    id,
    attempts: numbers.map(run),
    jobs: numbers.flatMap((attempt) => Array.from({ length: jobs }, () => job(attempt))),
  };
}

/** A merged pull request as lists show it, made from a published one. */
export function newPullRequest(number: number, createdAt: Date, mergedAt: Date): Json {
  const { merged: _merged, ...published } = publishedPullRequest['pull_request'] as Json;
  const at = mergedAt.toISOString();
  const times = { created_at: createdAt.toISOString(), updated_at: at, closed_at: at, merged_at: at };
  return { ...published, ...times, id: ++ids, number, state: 'closed' };
}

/** The forge's REST API of repositories, as far as the application uses it. */
export async function answerRepositories(
  repositories: readonly ForgeRepositoryState[],
  request: IncomingMessage,
  url: URL,
): Promise<ForgeAnswer> {
  const pageOf = <T>(items: readonly T[]): { page: T[]; hasNext: boolean } => {
    const size = Number(url.searchParams.get('per_page') ?? 30);
    const number = Number(url.searchParams.get('page') ?? 1);
    return { page: items.slice((number - 1) * size, number * size), hasNext: items.length > number * size };
  };
  if (url.pathname === '/installation/repositories') {
    const { page, hasNext } = pageOf(repositories);
    const body = { total_count: repositories.length, repositories: page.map(fullRepository) };
    return { status: 200, body, schema: 'installation-repositories', hasNext };
  }
  const [, , owner, name, ...rest] = url.pathname.split('/');
  const repository = repositories.find((each) => each.name === `${owner}/${name}`);
  if (repository === undefined) return { status: 404 };
  if (rest[0] === 'hooks') {
    const body = request.method === 'GET' || request.method === 'DELETE' ? {} : await bodyOf(request);
    return answerHooks(repository, request.method ?? '', Number(rest[1]), body as Partial<ForgeHook>);
  }
  if (rest[0] === 'pulls') {
    const { page, hasNext } = pageOf(repository.pullRequests);
    return { status: 200, body: page, schema: 'pull-requests', hasNext };
  }
  if (rest[0] !== 'actions' || rest[1] !== 'runs') return { status: 404 };
  if (rest[2] === undefined) {
    const { page, hasNext } = pageOf(repository.runs);
    const body = {
      total_count: repository.runs.length,
      workflow_runs: page.map((run) => run.attempts.at(-1)),
    };
    return { status: 200, body, schema: 'workflow-runs', hasNext };
  }
  const run = repository.runs.find(({ id }) => id === Number(rest[2]));
  if (run === undefined) return { status: 404 };
  if (rest[3] === 'jobs') {
    const { page, hasNext } = pageOf(run.jobs);
    return {
      status: 200,
      body: { total_count: run.jobs.length, jobs: page },
      schema: 'workflow-jobs',
      hasNext,
    };
  }
  const attempt = rest[3] === 'attempts' ? run.attempts[Number(rest[4]) - 1] : run.attempts.at(-1);
  return attempt === undefined ? { status: 404 } : { status: 200, body: attempt, schema: 'workflow-run' };
}

function answerHooks(
  repository: ForgeRepositoryState,
  method: string,
  id: number,
  body: Partial<ForgeHook>,
): ForgeAnswer {
  if (method === 'GET') return { status: 200, body: repository.hooks.map(presentHook), schema: 'hooks' };
  if (repository.refusesHooks !== undefined) return { status: repository.refusesHooks };
  if (method === 'POST') {
    if (repository.hooks.some(({ config }) => config.url === body.config?.url)) return { status: 422 };
    const hook = { ...body, id: ++ids } as ForgeHook;
    repository.hooks.push(hook);
    return { status: 201, body: presentHook(hook), schema: 'hook' };
  }
  const hook = repository.hooks.find((each) => each.id === id);
  if (hook === undefined) return { status: 404 };
  if (method === 'DELETE') {
    repository.hooks = repository.hooks.filter((each) => each !== hook);
    return { status: 204 };
  }
  Object.assign(hook, body);
  return { status: 200, body: presentHook(hook), schema: 'hook' };
}

function presentHook({ id, active, events, config }: ForgeHook): Json {
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

function fullRepository({ id, name, defaultBranch, isArchived }: ForgeRepositoryState): Json {
  const from = publishedRun['repository'] as Json;
  const at = {
    created_at: '2026-11-01T00:00:00Z',
    updated_at: '2026-11-01T00:00:00Z',
    pushed_at: '2026-11-01T00:00:00Z',
  };
  return {
    ...from,
    ...at,
    id,
    full_name: name,
    default_branch: defaultBranch,
    archived: isArchived,
    disabled: false,
  };
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Json;
}
