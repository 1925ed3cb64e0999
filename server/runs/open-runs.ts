import { longestRunDays } from '#contract/metrics/overview.ts';
import { literals } from '#platform/database/rows/literals.ts';

/** The condition on runs that are not completed. Figures and the lists behind them share it. */
export function isOpenRun(run: string): string {
  return `${run}.completed_at is null and ${run}.status <> 'completed'
    and ${run}.created_at >= now() - interval '${longestRunDays} days'`;
}

/** A job with one of these waits for an approval, for another job, or for its concurrency group, and not for a runner. */
export const heldStatuses = ['waiting', 'pending'] as const;

export type OpenJobState = 'running' | 'held' | 'waiting';

/** SQL: what a job that is not completed does. `waiting` is for a runner. */
export function openJobState(job: string): string {
  return `case when ${job}.status = 'in_progress' then 'running'
    when ${job}.status in ${literals(heldStatuses)} then 'held' else 'waiting' end`;
}

/** SQL: when the attempt of a job ended, which ended the job too. An attempt ends at the latest when the next one starts. */
export function endOfAttempt({ job, run, attempt }: Record<'job' | 'run' | 'attempt', string>): string {
  return `case when ${run}.attempt = ${job}.attempt then ${run}.completed_at
    when ${run}.attempt > ${job}.attempt then coalesce(${attempt}.completed_at, ${run}.started_at, ${run}.created_at) end`;
}
