import { maxSteps, type WorkflowSteps, type WorkflowStepsQuery } from '#contract/metrics/steps.ts';
import type { Tx } from '#platform/database/database.ts';
import { showTime } from '#platform/runtime/times.ts';
import { metricsSpan, previousSpan } from '../../time-span.ts';
import { listJobSteps } from './job-steps-store.ts';
import { pairSteps, trendOf } from './step-trends.ts';

/**
 * The slowest steps of a workflow, in its newest runs of a period and of the period before.
 * @throws AppError `invalid_request` when the period is invalid or too long.
 */
export async function readWorkflowSteps(
  tx: Tx,
  integrationId: string,
  { repository, workflow, branch, from, to, timeZone }: WorkflowStepsQuery,
  now: number,
): Promise<WorkflowSteps> {
  const span = metricsSpan({ from, to, timeZone }, now);
  const before = previousSpan(span);
  const samples = await listJobSteps(
    tx,
    integrationId,
    [{ repository, workflow, job: null, before: [before.from, before.to], after: [span.from, span.to] }],
    branch && branch === 'default',
  );
  const steps = pairSteps(samples).get(0) ?? [];
  return {
    from: showTime(span.from),
    to: showTime(span.to),
    previousFrom: showTime(before.from),
    items: steps
      .toSorted((a, b) => (b.after.p50 ?? 0) - (a.after.p50 ?? 0))
      .slice(0, maxSteps)
      .map(trendOf),
  };
}
