import type { CompletionFacts, RunFacts } from './name-completion.ts';

/** The facts of a run `r` and a job `j`, either of which may be missing. */
export const factColumns = `r.run_id is not null as knows_run, r.repository as run_repository,
  r.workflow_name as run_workflow, r.workflow_path as run_file, r.head_branch as run_branch, r.head_repository, r.actor,
  r.title, r.url as run_url, j.repository as job_repository, j.workflow_name as job_workflow,
  j.head_branch as job_branch, j.name as job_name, j.url as job_url,
  coalesce(r.on_default_branch, j.on_default_branch, false) as on_default_branch`;

/** A row with `factColumns` and what completed. */
export interface FactRow {
  run_id: string;
  attempt: number;
  job_id: string | null;
  conclusion: string | null;
  at: Date;
  knows_run: boolean;
  run_repository: string | null;
  run_workflow: string | null;
  run_file: string | null;
  run_branch: string | null;
  head_repository: string | null;
  actor: string | null;
  title: string | null;
  run_url: string | null;
  job_repository: string | null;
  job_workflow: string | null;
  job_branch: string | null;
  job_name: string | null;
  job_url: string | null;
  on_default_branch: boolean;
}

export function factsOf(
  row: FactRow,
  { hasJobs, provenWorkflow }: Pick<RunFacts, 'hasJobs' | 'provenWorkflow'>,
): CompletionFacts {
  const run = {
    repository: row.run_repository,
    workflow: row.run_workflow,
    file: row.run_file,
    branch: row.run_branch,
    headRepository: row.head_repository,
    actor: row.actor,
    title: row.title,
    url: row.run_url,
    hasJobs,
    provenWorkflow,
  };
  const job = {
    jobId: Number(row.job_id),
    repository: row.job_repository,
    workflow: row.job_workflow,
    branch: row.job_branch,
    name: row.job_name,
    url: row.job_url,
  };
  return {
    runId: Number(row.run_id),
    attempt: row.attempt,
    conclusion: row.conclusion,
    at: row.at.getTime(),
    onDefaultBranch: row.on_default_branch,
    job: row.job_id === null ? null : job,
    run: row.knows_run ? run : null,
  };
}
