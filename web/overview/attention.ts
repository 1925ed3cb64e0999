import type { Incident } from '#contract/alerts/incidents.ts';
import type { Attention, Overview } from '#contract/metrics/overview.ts';

/** The failing workflows that no listed incident is about. */
export function withoutIncident(
  attention: readonly Attention[],
  incidents: readonly Incident[],
): Attention[] {
  return attention.filter(
    (row) =>
      !incidents.some(
        ({ repository, workflow, branch }) =>
          repository === row.repository && workflow === row.workflow && branch === row.branch,
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
