import { mergeGroupOf, mergeQueueName } from '#contract/runs/merge-group.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { clip } from '../ui/text/clip.ts';

/** The title of a run, with fallbacks. */
export function titleOf(run: WorkflowRun): string {
  return clip(run.title || workflowOf(run) || `Run ${run.runId}`, 300);
}

export function workflowOf({ workflowName, workflowPath }: WorkflowRun): string {
  return clip(workflowName || workflowPath || '', 200);
}

/** Without the owner. The tooltip has the full name. */
export function shortRepository({ repository }: WorkflowRun): string {
  return clip(repository.slice(repository.lastIndexOf('/') + 1) || repository, 100);
}

/** The branch; of a run of the merge queue, the pull request that it tests. */
export function branchOf({
  headBranch,
  event = null,
}: Pick<WorkflowRun, 'headBranch'> & Partial<Pick<WorkflowRun, 'event'>>): string {
  // Runs of a fork are those of pull requests, and its branch may have any name.
  const group = event?.startsWith('pull_request') ? undefined : mergeGroupOf(headBranch);
  return group === undefined ? clip(headBranch ?? '') : clip(mergeQueueName(group));
}
