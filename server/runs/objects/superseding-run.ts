import { failedConclusions } from '#contract/runs/conclusions.ts';
import { literals } from '#platform/database/rows/literals.ts';
import { branchOfRun } from './branch-of-run.ts';

/**
 * SQL: whether a job of the aggregated jobs of an attempt failed on its own. A job that begins after another one was cancelled, such as
 * a gate with `if: always()`, fails because of that, unless an earlier one had failed.
 */
export const hasOwnFailure = (jobs: string): string => `coalesce(
  min(coalesce(${jobs}.started_at, '-infinity')) filter (where ${jobs}.conclusion in ${literals(failedConclusions)})
    < coalesce(min(${jobs}.completed_at) filter (where ${jobs}.conclusion = 'cancelled'), 'infinity'), false)`;

/** SQL: `w` is a newer run than `run` of the same workflow, branch and event, and began before the time at which `run` ended. */
export const isNewerRun = (run: string, endedAt: string): string => `
  w.workflow_key = ${run}.workflow_key
    and (w.created_at, w.run_id) > (${run}.created_at, ${run}.run_id) and w.created_at <= ${endedAt}
    and w.repository = ${run}.repository and w.workflow_name is not distinct from ${run}.workflow_name
    and ${branchOfRun('w')} = ${branchOfRun(run)} and w.event is not distinct from ${run}.event
    and coalesce(w.head_repository, w.repository) = coalesce(${run}.head_repository, ${run}.repository)`;
