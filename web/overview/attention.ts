import type { Incident } from '#contract/alerts/incidents.ts';
import type { Attention, Overview } from '#contract/metrics/overview.ts';

/** The failing workflows without a listed incident. One of another kind, such as a slow job, does not say that they fail. */
export function withoutIncident(
  attention: readonly Attention[],
  incidents: readonly Incident[],
): Attention[] {
  return attention.filter(
    (row) =>
      !incidents.some(
        ({ kind, repository, workflow, branch }) =>
          kind === 'failure' &&
          repository === row.repository &&
          (workflow ?? '') === row.workflow &&
          branch === row.branch,
      ),
  );
}

/** Whether the period has nothing to show. */
export function isEmpty({ runs, runningNow, workflows, needsAttention }: Overview): boolean {
  const isIdle = runningNow.running + runningNow.waiting === 0;
  return (
    (runs.value ?? 0) === 0 &&
    (runs.previous ?? 0) === 0 &&
    isIdle &&
    workflows.length === 0 &&
    needsAttention.length === 0
  );
}
