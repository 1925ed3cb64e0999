import { branchOf } from '#contract/runs/merge-group.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';
import type { CompletionFacts } from './completion-facts.ts';

/** Whether an incident is open under a name that the completion does not have. */
export interface OtherOpenNames {
  /** The workflow's file in place of its name. */
  isFileOpen: boolean;
  /** The incomplete names of a job, from before its repository reported runs. Null if none is open. */
  ofJob: { workflow: string | null; branch: string | null } | null;
}

/**
 * The completions that rules see. A success also closes an incident that was opened before the run or the workflow's name was
 * known. A successful job of a known run counts only for that: its run decides.
 */
export function completionsToEvaluate(facts: CompletionFacts, open: OtherOpenNames): Completion[] {
  const completion = nameCompletion(facts);
  if (completion === undefined) return [];
  if (completion.conclusion !== 'success') return [completion];
  const { jobId, knowsRun, runFile, runWorkflow, runBranch } = facts;
  if (jobId !== null && knowsRun) {
    const { ofJob } = open;
    const isOther = ofJob !== null && (ofJob.workflow !== runWorkflow || ofJob.branch !== runBranch);
    return isOther ? [{ ...completion, ...ofJob }] : [];
  }
  return jobId === null && open.isFileOpen && runFile !== null && runFile !== completion.workflow
    ? [completion, { ...completion, workflow: runFile }]
    : [completion];
}

/**
 * The names under which rules and incidents see a completion. A run knows its workflow best, a job its branch. Undefined
 * without a repository or a conclusion.
 */
export function nameCompletion(facts: CompletionFacts): Completion | undefined {
  const { runId, attempt, jobId, conclusion, onDefaultBranch, actor } = facts;
  const repository = facts.jobRepository ?? facts.runRepository;
  if (repository === null || conclusion === null) return undefined;
  const isRun = jobId === null;
  return {
    event: isRun ? 'run' : 'job',
    runId,
    attempt,
    jobId,
    repository,
    workflow: (isRun ? workflowOfRun(facts) : facts.runWorkflow) ?? facts.jobWorkflow,
    branch: branchOf(facts.jobBranch ?? facts.runBranch, facts.headRepository, repository),
    onDefaultBranch,
    conclusion,
    actor,
    name: isRun ? facts.title : facts.jobName,
    url: facts.jobUrl ?? facts.runUrl,
    at: facts.at.getTime(),
  };
}

/**
 * A failed run without jobs whose name equals the workflow's file could not start, and the forge did not report the workflow's
 * name.
 */
function workflowOfRun({ runWorkflow, runFile, conclusion, hasJobs, provenWorkflow }: CompletionFacts) {
  const couldNotStart = conclusion !== 'success' && !hasJobs && runFile !== null && runWorkflow === runFile;
  return couldNotStart ? (provenWorkflow ?? runWorkflow) : runWorkflow;
}
