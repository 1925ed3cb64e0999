import { literals } from '#platform/database/rows/literals.ts';
import { decidedConclusions, failedConclusions } from '#contract/runs/conclusions.ts';
import { maxCountedRuns, otherBranchDays } from '#contract/failures/failures.ts';

/** The SQL expressions of a failure group on a branch. The integration is `$1`. */
export interface StreakTerms {
  groupId: string;
  workflowKey: string;
  job: string;
  /** Nothing after this time counts. */
  at: string;
  /** The condition on rows of `table`, a table of runs or reasons. */
  onBranch(table: string): string;
}

/** Runs searched for the last success of a job, newest first. */
const maxRuns = 200;

/**
 * Selects the last run before `before` in which the job succeeded, and when. The forge cuts long names, so jobs of one attempt can have
 * the same: where another one failed, nobody can tell which of them it is.
 */
export const passed = ({ workflowKey, job, onBranch }: StreakTerms, before: string): string => `
  select p_run.*, p.at from (
    select * from workflow_runs w
    where w.integration_id = $1 and ${onBranch('w')} and w.workflow_key = ${workflowKey}
    order by w.created_at desc limit ${maxRuns}) p_run
  cross join lateral (
    select max(p_job.completed_at) as at from workflow_jobs p_job
    where p_job.integration_id = $1 and p_job.run_id = p_run.run_id and p_job.name = ${job}
      and p_job.conclusion = 'success' and not exists (
        select from workflow_jobs twin
        where twin.integration_id = $1 and twin.run_id = p_job.run_id and twin.attempt = p_job.attempt
          and twin.name = p_job.name and twin.conclusion in ${literals(failedConclusions)})) p
  where p.at < ${before}
  order by p_run.created_at desc limit 1`;

/**
 * SQL: the failure is of a run after `passed`, or of a later attempt of it. The re-run of an older run says nothing about newer commits. The
 * first condition bounds what is read.
 */
export const isAfterPassed = (failure: string): string => `
  ${failure}.failed_at > coalesce((select created_at from passed), '-infinity') and not exists (
    select from passed p where ${failure}.run_id < p.run_id or ${failure}.run_id = p.run_id and ${failure}.failed_at <= p.at)`;

/** Counts the failed runs after the last success of the job, as of `at`. */
export const streak = (terms: StreakTerms): string => `
  with passed as (${passed(terms, `(${terms.at} + interval '1 ms')`)})
  select count(distinct run_id)::int as runs, min(failed_at) as since from (
    select s.run_id, s.failed_at from failure_reasons s
    where s.integration_id = $1 and s.failure_group_id = ${terms.groupId} and ${terms.onBranch('s')}
      and ${isAfterPassed('s')} and s.failed_at <= ${terms.at}
    order by s.failed_at desc limit ${maxCountedRuns}) streak`;

/** Failures whose re-runs are looked at. */
const maxReruns = 100;

/**
 * Counts how often the job of a failure was re-run, and how often it then succeeded, as of `at` or in the run itself. Where only some of
 * several jobs of its name succeeded, nobody can tell.
 */
export const reruns = (groupId: string, at: string, runId: string): string => `
  select count(later.passed)::int as reruns, count(*) filter (where later.passed)::int as passed
  from (select run_id, attempt, job from failure_reasons where integration_id = $1 and failure_group_id = ${groupId}
          and failed_at <= ${at}
        order by failed_at desc limit ${maxReruns}) rerun
  cross join lateral (
    select nullif(bool_or(l.conclusion = 'success'), bool_or(l.conclusion <> 'success')) as passed from workflow_jobs l
    where l.integration_id = $1 and l.run_id = rerun.run_id and l.attempt = rerun.attempt + 1 and l.name = rerun.job
      and l.conclusion in ${literals(decidedConclusions)}
      and (l.completed_at <= ${at} or l.run_id = ${runId})) later`;

/** Counts the other branches that have the failure, without the default branch, as of `at`. `branchKey` is that of the failure. */
export const otherBranches = (groupId: string, at: string, branchKey: string): string => `
  select count(distinct o.branch_key)::int as branches, min(o.failed_at) as since from (
    select branch_key, on_default_branch, failed_at from failure_reasons
    where integration_id = $1 and failure_group_id = ${groupId} and failed_at <= ${at}
      and failed_at > ${at} - interval '${otherBranchDays} days'
    order by failed_at desc limit ${maxCountedRuns * 5}) o
  where not o.on_default_branch and o.branch_key is distinct from ${branchKey} and o.branch_key is not null`;
