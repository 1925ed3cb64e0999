import type { WorkflowState } from './store.ts';
import { element, xmlDeclaration } from './xml.ts';

/** CCTray v1 (https://cctray.org/v1/): one project for each workflow. */
export function cctray(
  workflows: readonly WorkflowState[],
  pageOf: (runId: number | null) => string,
): string {
  const projects = workflows.map((one) =>
    element('Project', {
      name: `${one.repository} ${one.workflow === '' ? '(without a name)' : one.workflow}`,
      activity: one.status === 'completed' ? 'Sleeping' : 'Building',
      lastBuildStatus: statusOf(one.conclusion),
      lastBuildLabel: one.runNumber ?? one.runId ?? '',
      // Required, also for a workflow that has never completed.
      lastBuildTime: (one.completedAt ?? new Date(0)).toISOString(),
      webUrl: pageOf(one.runId),
    }),
  );
  return `${xmlDeclaration}${element('Projects', {}, '\n', ...projects)}`;
}

function statusOf(conclusion: string | null): string {
  if (conclusion === null) return 'Unknown';
  return conclusion === 'success' ? 'Success' : 'Failure';
}
