import { longestRunDays } from '#contract/metrics/overview.ts';

/** The condition on runs that are not completed. Figures and the lists behind them share it. */
export function isOpenRun(run: string): string {
  return `${run}.completed_at is null and ${run}.status <> 'completed'
    and ${run}.created_at >= now() - interval '${longestRunDays} days'`;
}
