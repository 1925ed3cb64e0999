/** SQL: the clock of a runner may be ahead. A completion of tomorrow would begin a cooldown that ends tomorrow. */
export const notInFuture = (time: string): string => `least(${time}, now())`;

/** The columns of `CompletionFacts` about a run `r` and a job `j`, either of which may be missing. */
export const factColumns = `r.run_id is not null as "knowsRun", r.repository as "runRepository",
  r.workflow_name as "runWorkflow", r.workflow_path as "runFile", r.head_branch as "runBranch",
  r.head_repository as "headRepository", r.actor, r.title, r.url as "runUrl", j.repository as "jobRepository",
  j.workflow_name as "jobWorkflow", j.head_branch as "jobBranch", j.name as "jobName", j.url as "jobUrl",
  coalesce(r.on_default_branch, j.on_default_branch, false) as "onDefaultBranch"`;

/** SQL: the run `r` was in the merge queue into a branch that is not the base of its pull request any more. */
const isOfLeftQueue = `starts_with(r.head_branch, 'gh-readonly-queue/') and coalesce(r.head_repository, r.repository) = r.repository and exists (
  select from pull_requests p where p.integration_id = $1 and p.repository = r.repository and p.number = r.pull_requests[1]
    and p.updated_at >= r.created_at
    and p.base_branch <> substring(r.head_branch from '^gh-readonly-queue/(.+)/pr-[0-9]+-[0-9a-f]+$'))`;

/**
 * SQL: the run `r` or job `j` was on the branch that was the default branch then, and another one is in its place, or in such a merge queue.
 * Nobody repairs it.
 */
export const isOfLeftBranch = `(coalesce(r.on_default_branch, j.on_default_branch, false) and exists (
  select from repositories p where p.integration_id = $1 and p.repository = coalesce(r.repository, j.repository)
    and p.default_branch <> coalesce(r.head_branch, j.head_branch)) or coalesce(${isOfLeftQueue}, false))`;

/** SQL: a person hid the workflow of a completion with these columns. Rules ignore its failures. */
export const isHidden = (repository: string, workflow: string): string => `exists (
  select from hidden_workflows h where h.integration_id = $1 and h.repository = ${repository}
    and h.workflow = coalesce(${workflow}, ''))`;

/** SQL: the conclusion of the row of a run or attempt, as rules see it. */
export const conclusionForRules = (row: string): string =>
  `case when ${row}.superseded_by is null then ${row}.conclusion else 'superseded' end`;

/** A completed run, or a completed job with the run if it is known. Null is what the forge did not report. */
export interface CompletionFacts {
  runId: number;
  attempt: number;
  /** Null for a run. */
  jobId: number | null;
  conclusion: string | null;
  at: Date;
  knowsRun: boolean;
  runRepository: string | null;
  runWorkflow: string | null;
  /** Path of the workflow file. */
  runFile: string | null;
  runBranch: string | null;
  headRepository: string | null;
  actor: string | null;
  title: string | null;
  runUrl: string | null;
  jobRepository: string | null;
  jobWorkflow: string | null;
  jobBranch: string | null;
  jobName: string | null;
  jobUrl: string | null;
  onDefaultBranch: boolean;
  /** Whether the run has jobs. */
  hasJobs: boolean;
  /** The workflow's name in the newest successful run of the same file. */
  provenWorkflow: string | null;
}
