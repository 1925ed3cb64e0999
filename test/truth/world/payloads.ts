import { randomUUID } from 'node:crypto';
import type { Delivery, Dialect, Fact, JobFact, PullFact, RepositoryFact, RunFact } from './facts.ts';

/** Payloads in the shape in which each forge sends them, with the fields of its documentation and of recorded deliveries. */

type Json = Record<string, unknown>;

const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
/** Gitea writes the start of the epoch for a time that has not come. */
const isoOrEpoch = (ms: number | null): string => iso(ms ?? 0);

export function deliveryOf(dialect: Dialect, fact: Fact, at: number, order: number): Delivery {
  const event = { run: 'workflow_run', job: 'workflow_job', pull: 'pull_request' }[fact.kind];
  const repository = repositoryOf(fact.repository, dialect);
  const sender = userOf(fact.kind === 'pull' ? fact.author : 'octo');
  const body = dialect === 'github' ? ofGithub(fact, at) : ofGitea(fact, at, dialect);
  return {
    deliveryId: dialect === 'github' ? timeUuid(at, order) : randomUUID(),
    order,
    event,
    headers: dialect === 'github' ? {} : { 'x-gitea-event': event, 'x-gitea-event-type': event },
    payload: { ...body, repository, sender },
    fact,
  };
}

/** GitHub's delivery ids are UUIDs of version 1, which carry the time (RFC 9562). */
function timeUuid(at: number, order: number): string {
  const ticks = (BigInt(at) * 10_000n + BigInt(order % 10_000) + 122_192_928_000_000_000n)
    .toString(16)
    .padStart(15, '0');
  const node = randomUUID().slice(-12);
  return `${ticks.slice(7)}-${ticks.slice(3, 7)}-1${ticks.slice(0, 3)}-8${node.slice(0, 3)}-${node}`;
}

function ofGithub(fact: Fact, at: number): Json {
  if (fact.kind === 'pull') return pullBody(fact, at);
  if (fact.kind === 'job') return githubJob(fact);
  const { repository, workflow, runId } = fact;
  const url = `https://${repository.host}/${repository.fullName}/actions/runs/${runId}`;
  return {
    action:
      fact.status === 'completed' ? 'completed' : fact.status === 'in_progress' ? 'in_progress' : 'requested',
    workflow: { ...workflow, state: 'active' },
    workflow_run: {
      id: runId,
      // `run-name` of a workflow sets the name of all its runs, and Dependabot that of some.
      name: workflow.path.endsWith('/ci.yml') || fact.number % 3 === 0 ? fact.title : workflow.name,
      display_title: fact.title,
      path: `${workflow.path}@${fact.branch}`,
      run_number: fact.number,
      run_attempt: fact.attempt,
      event: fact.trigger,
      status: fact.status,
      conclusion: fact.conclusion,
      workflow_id: workflow.id,
      head_branch: fact.branch,
      head_sha: fact.sha,
      head_commit: { id: fact.sha, message: `${fact.title}\n\nMore about it` },
      head_repository: headRepository(repository, fact),
      pull_requests: [],
      actor: userOf(fact.actor),
      triggering_actor: userOf(fact.actor),
      html_url: url,
      jobs_url: `${url}/jobs`,
      previous_attempt_url: fact.attempt === 1 ? null : `${url}/attempts/${fact.attempt - 1}`,
      created_at: iso(fact.createdAt ?? at),
      run_started_at: iso(fact.startedAt ?? at),
      updated_at: iso(at),
    },
  };
}

function githubJob(job: JobFact): Json {
  const { repository, runId, jobId } = job;
  return {
    action: job.status,
    workflow_job: {
      id: jobId,
      run_id: runId,
      run_attempt: job.attempt,
      name: job.name,
      workflow_name: job.workflow.name,
      head_branch: job.branch,
      head_sha: job.sha,
      status: job.status,
      conclusion: job.conclusion,
      labels: [job.label],
      steps: stepsOf(job),
      runner_name: job.startedAt === null ? null : `${job.label} 1`,
      runner_group_name: job.startedAt === null ? null : 'Default',
      html_url: `https://${repository.host}/${repository.fullName}/actions/runs/${runId}/job/${jobId}`,
      created_at: iso(job.createdAt),
      // While a job waits, GitHub sends its creation as its start. A job that never ran may start after its end.
      started_at: iso(job.startedAt ?? (job.endedAt === null ? job.createdAt : job.endedAt + 60_000)),
      completed_at: isoOrNull(job.endedAt),
    },
  };
}

function ofGitea(fact: Fact, at: number, dialect: Dialect): Json {
  if (fact.kind === 'pull') return pullBody(fact, at);
  const countsAttempts = dialect === 'gitea';
  if (fact.kind === 'job')
    return {
      action: fact.status,
      workflow_job: {
        id: fact.jobId,
        run_id: fact.runId,
        run_attempt: countsAttempts ? fact.attempt : fact.startedAt === null ? 0 : 1,
        name: fact.name,
        head_branch: fact.branch,
        head_sha: fact.sha,
        labels: [fact.label],
        status: fact.status,
        ...(fact.conclusion !== null && { conclusion: fact.conclusion }),
        steps: fact.status === 'queued' ? null : stepsOf(fact),
        created_at: iso(fact.createdAt),
        started_at: isoOrEpoch(fact.startedAt),
        completed_at: isoOrEpoch(fact.endedAt),
      },
    };
  return giteaRun(fact, at, countsAttempts);
}

function giteaRun(run: RunFact, at: number, countsAttempts: boolean): Json {
  const { repository, workflow, runId } = run;
  return {
    action:
      run.status === 'completed' ? 'completed' : run.status === 'in_progress' ? 'in_progress' : 'requested',
    workflow: { ...workflow, state: 'active' },
    workflow_run: {
      id: runId,
      display_title: run.title,
      path: `${String(workflow.id)}@refs/heads/${run.branch}`,
      event: run.trigger,
      run_attempt: countsAttempts ? run.attempt : 0,
      run_number: run.number,
      head_sha: run.sha,
      head_branch: run.branch,
      status: run.status,
      ...(run.conclusion !== null && { conclusion: run.conclusion }),
      actor: userOf(run.actor),
      trigger_actor: userOf(run.actor),
      repository: repositoryOf(repository, 'gitea'),
      head_repository: repositoryOf(repository, 'gitea'),
      html_url: `https://${repository.host}/${repository.fullName}/actions/runs/${runId}`,
      started_at: isoOrEpoch(run.status === 'queued' ? null : run.startedAt),
      completed_at: isoOrEpoch(run.endedAt),
      ...(countsAttempts && { created_at: iso(run.createdAt ?? at), updated_at: iso(at) }),
    },
  };
}

function pullBody(pull: PullFact, at: number): Json {
  const { repository, number } = pull;
  return {
    action: pull.state === 'open' ? 'opened' : 'closed',
    number,
    pull_request: {
      id: repository.id * 1000 + number,
      number,
      title: pull.title,
      state: pull.state,
      merged: false,
      user: userOf(pull.author),
      html_url: `https://${repository.host}/${repository.fullName}/pull/${number}`,
      head: { ref: pull.branch, sha: pull.sha, repo: headRepository(repository, pull) },
      base: { ref: pull.base },
      labels: [],
      created_at: iso(at - 60_000),
      updated_at: iso(at),
      closed_at: isoOrNull(pull.closedAt),
    },
  };
}

function stepsOf(job: JobFact): Json[] {
  if (job.startedAt === null) return [];
  const step = (number: number, name: string, conclusion: string | null): Json => ({
    number,
    name,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    started_at: isoOrNull(job.startedAt),
    completed_at: conclusion === null ? null : isoOrNull(job.endedAt ?? job.startedAt),
  });
  return [step(1, 'Set up job', 'success'), step(2, 'Run tests', job.conclusion)];
}

function repositoryOf({ id, host, fullName, defaultBranch }: RepositoryFact, dialect: Dialect): Json {
  const [owner = '', name = ''] = fullName.split('/');
  return {
    id,
    name,
    full_name: fullName,
    default_branch: defaultBranch,
    html_url: `https://${host}/${fullName}`,
    fork: false,
    private: true,
    owner: { ...userOf(owner), ...(dialect === 'github' && { type: 'Organization' }) },
  };
}

function headRepository(
  repository: RepositoryFact,
  { fork, forkId, isForkGone }: Pick<RunFact, 'fork' | 'forkId' | 'isForkGone'>,
): Json | null {
  if (isForkGone) return null;
  if (fork === null) return repositoryOf(repository, 'github');
  const [, name = ''] = repository.fullName.split('/');
  return { id: forkId, name, full_name: `${fork}/${name}`, fork: true };
}

function userOf(login: string): Json {
  return { id: login.length, login, avatar_url: `https://avatars.example.com/${login}` };
}
