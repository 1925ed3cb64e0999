import type { Completion } from '#server/alerts/rules/matching-rules.ts';

/** What the forge reported of a run. Null means that it did not. */
export interface RunFacts {
  repository: string | null;
  workflow: string | null;
  /** Path of the workflow file. */
  file: string | null;
  branch: string | null;
  headRepository: string | null;
  actor: string | null;
  title: string | null;
  url: string | null;
  hasJobs: boolean;
  /** The workflow's name in the newest successful run of the same file. */
  provenWorkflow: string | null;
}

export interface JobFacts {
  jobId: number;
  repository: string | null;
  workflow: string | null;
  branch: string | null;
  name: string | null;
  url: string | null;
}

/** A completed run, or a completed job with the run if it is known. */
export type CompletionFacts = Pick<Completion, 'runId' | 'attempt' | 'at' | 'onDefaultBranch'> & {
  conclusion: string | null;
  /** Null for a run. */
  job: JobFacts | null;
  run: RunFacts | null;
};

/** Whether an incident is open under a name that the completion does not have. */
export interface OtherOpenNames {
  /** The workflow's file in place of its name. */
  underFile: boolean;
  /** The names that the job itself reported, from before its repository reported runs. */
  underOwnNames: boolean;
}

/**
 * The completions that rules see. A success also closes an incident that was opened before the run or the workflow's name was
 * known. A successful job of a known run counts only for that: its run decides.
 */
export function completionsToEvaluate(facts: CompletionFacts, open: OtherOpenNames): Completion[] {
  const completion = nameCompletion(facts);
  if (completion === undefined) return [];
  if (completion.conclusion !== 'success') return [completion];
  const { job, run } = facts;
  if (job !== null && run !== null) {
    const isRenamed = job.workflow !== run.workflow || job.branch !== run.branch;
    const isIncomplete = job.workflow === null || job.branch === null;
    if (!open.underOwnNames || !isIncomplete || !isRenamed) return [];
    return [{ ...completion, workflow: job.workflow, branch: job.branch }];
  }
  const file = run?.file ?? null;
  return job === null && open.underFile && file !== null && file !== completion.workflow
    ? [completion, { ...completion, workflow: file }]
    : [completion];
}

/**
 * The names under which rules and incidents see a completion. A run knows its workflow best, a job its branch. Undefined
 * without a repository or a conclusion.
 */
export function nameCompletion({
  runId,
  attempt,
  conclusion,
  at,
  onDefaultBranch = false,
  job,
  run,
}: CompletionFacts): Completion | undefined {
  const repository = job?.repository ?? run?.repository ?? null;
  if (repository === null || conclusion === null) return undefined;
  const branch = job?.branch ?? run?.branch ?? null;
  return {
    event: job === null ? 'run' : 'job',
    runId,
    attempt,
    jobId: job?.jobId ?? null,
    repository,
    workflow: (job === null ? workflowOfRun(run, conclusion) : run?.workflow) ?? job?.workflow ?? null,
    branch: branchOf(branch, run?.headRepository ?? null, repository),
    onDefaultBranch,
    conclusion,
    actor: run?.actor ?? null,
    name: (job === null ? run?.title : job.name) ?? null,
    url: job?.url ?? run?.url ?? null,
    at,
  };
}

/**
 * A failed run without jobs whose name equals the workflow's file could not start, and the forge did not report the workflow's
 * name.
 */
function workflowOfRun(run: RunFacts | null, conclusion: string): string | null {
  if (run === null) return null;
  const couldNotStart =
    conclusion !== 'success' && !run.hasJobs && run.file !== null && run.workflow === run.file;
  return couldNotStart ? (run.provenWorkflow ?? run.workflow) : run.workflow;
}

/** `owner:branch` for a branch of a fork. */
export function branchOf(
  branch: string | null,
  headRepository: string | null,
  repository: string,
): string | null {
  if (branch === null || headRepository === null || headRepository === repository) return branch;
  return `${headRepository.split('/')[0] ?? ''}:${branch}`;
}
