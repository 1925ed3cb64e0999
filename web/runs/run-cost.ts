import type { WorkflowJob } from '#contract/monitoring.ts';

const minuteMs = 60_000;

/** What forges bill for jobs: each begun minute of each of them, as in the metrics. */
export function billableMinutes(jobs: readonly WorkflowJob[]): number {
  return jobs
    .filter(({ conclusion }) => conclusion !== 'skipped')
    .reduce((sum, { durationMs }) => sum + Math.ceil((durationMs ?? 0) / minuteMs), 0);
}
