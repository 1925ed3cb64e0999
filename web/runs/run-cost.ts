import type { WorkflowJob } from '#contract/monitoring.ts';

const minuteMs = 60_000;

/** Billable minutes as in the metrics: each started minute of each job. */
export function billableMinutes(jobs: readonly WorkflowJob[]): number {
  return jobs
    .filter(({ conclusion }) => conclusion !== 'skipped')
    .reduce((sum, { durationMs }) => sum + Math.ceil((durationMs ?? 0) / minuteMs), 0);
}
