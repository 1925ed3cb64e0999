import { jobPayload, pullRequestPayload, runPayload, repositoryOf } from './forge-events.ts';

/** A commit whose SHA is one letter. */
export const sha = (letter: string): string => letter.repeat(40);
const time = (minutesAgo: number): string => new Date(Date.now() - minutesAgo * 60_000).toISOString();

interface PullFacts {
  number: number;
  head?: string;
  branch?: string;
  author?: string;
  /** From the author's fork. */
  fork?: boolean;
  repository?: string;
  state?: string;
  title?: string;
  minutesAgo?: number;
}

export function pull({ number, head = sha('b'), branch = 'topic', author = 'ann', ...facts }: PullFacts) {
  const { fork = false, repository = 'acme/site', state = 'open', minutesAgo = 100 } = facts;
  const headRepository = fork ? `${author}/site` : repository;
  return pullRequestPayload(
    {
      number,
      title: facts.title ?? `Change ${number}`,
      state,
      user: { login: author },
      html_url: `https://forge.example.com/pull/${number}`,
      head: { ref: branch, sha: head, repo: { full_name: headRepository } },
      base: { ref: 'main' },
      created_at: time(minutesAgo),
      updated_at: time(minutesAgo),
    },
    { number, repository: repositoryOf(repository) },
  );
}

interface RunFacts {
  id: number;
  head?: string;
  branch?: string;
  /** Pull requests that the run names. */
  numbers?: number[];
  /** Null while it runs. */
  conclusion?: string | null;
  workflow?: string;
  event?: string;
  /** The owner of the fork. */
  fork?: string;
  minutesAgo?: number;
}

export function run({ id, head = sha('b'), branch = 'topic', numbers = [], ...facts }: RunFacts) {
  const { conclusion = 'success', workflow = 'CI', fork = 'acme', minutesAgo = 60 } = facts;
  return runPayload({
    id,
    run_number: id,
    name: workflow,
    display_title: `Run of ${workflow}`,
    path: `.github/workflows/${workflow}.yml`,
    event: facts.event ?? 'pull_request',
    head_sha: head,
    head_branch: branch,
    pull_requests: numbers.map((number) => ({ number })),
    head_repository: repositoryOf(`${fork}/site`),
    head_commit: { message: `Commit of ${id}\n\nBody` },
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    created_at: time(minutesAgo),
    run_started_at: time(minutesAgo),
    updated_at: time(minutesAgo - 1),
  });
}

interface JobFacts {
  runId: number;
  step: string;
  conclusion?: string;
  branch?: string;
}

export function failedJob({ runId, step, conclusion = 'failure', branch = 'topic' }: JobFacts) {
  return jobPayload({
    id: runId * 10,
    run_id: runId,
    name: 'test',
    workflow_name: 'CI',
    head_branch: branch,
    status: 'completed',
    conclusion,
    created_at: time(60),
    started_at: time(60),
    completed_at: time(59),
    html_url: `https://forge.example.com/job/${runId}`,
    steps: [{ number: 2, name: step, status: 'completed', conclusion }],
  });
}
