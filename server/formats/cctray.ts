import type { WorkflowState } from '#server/runs/latest/workflow-states.ts';
import { element, xmlDeclaration } from './xml.ts';

/** CCTray v1 (https://cctray.org/v1/): one project for each workflow. */
export function cctray(
  workflows: readonly WorkflowState[],
  pageOf: (runId: number | null) => string,
): string {
  const projects = workflows.map((one) =>
    element('Project', {
      name: `${one.repository} ${one.workflow === '' ? '(without a name)' : one.workflow}`,
      activity: one.isRunning ? 'Building' : 'Sleeping',
      lastBuildStatus: statusOf(one.last?.conclusion ?? null),
      lastBuildLabel: one.last?.runNumber ?? one.last?.runId ?? '',
      // Required, also for a workflow that has never completed.
      lastBuildTime: one.last?.completedAt ?? new Date(0).toISOString(),
      webUrl: pageOf(one.last?.runId ?? null),
    }),
  );
  return `${xmlDeclaration}${element('Projects', {}, '\n', ...projects)}`;
}

function statusOf(conclusion: string | null): string {
  if (conclusion === null) return 'Unknown';
  return conclusion === 'success' ? 'Success' : 'Failure';
}

/** By repository and workflow. */
export function inNameOrder(workflows: readonly WorkflowState[]): WorkflowState[] {
  const nameOf = ({ repository, workflow }: WorkflowState): string => `${repository} ${workflow}`;
  return workflows.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
}
