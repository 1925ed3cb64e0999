import { joinValues, only } from '#contract/base/value-list.ts';
import { redConclusions } from '#contract/runs/conclusions.ts';

/** The filter of the runs and jobs that completed in a period. */
export function periodOf({ from, to }: { from: string; to: string }) {
  return { completedFrom: from, completedTo: to };
}

/** Milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

/** The same for a span of a chart. */
export function spanPeriod({ from, to }: Span): Period {
  return periodOf({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
}

export type Period = ReturnType<typeof periodOf>;

/** The filter of failed runs and jobs. */
export const failedOnly = { conclusion: joinValues(redConclusions) } as const;

/** The filter of the runs of a workflow. Undefined names do not filter. */
export function workflowFilter({
  repository,
  workflow,
}: {
  repository?: string | null | undefined;
  workflow?: string | null | undefined;
}) {
  return {
    ...(repository ? { repository: only(repository) } : {}),
    ...(workflow ? { workflow: only(workflow) } : {}),
  };
}
