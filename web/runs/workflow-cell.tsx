import { RunLink } from './run-link.tsx';

/** A workflow on a branch, with a link to one of its runs. */
export function WorkflowCell({
  runId,
  workflow,
  repository,
  branch,
}: {
  runId: number;
  workflow: string | null;
  repository: string;
  branch: string | null;
}) {
  return (
    <span>
      <RunLink runId={runId} className="font-medium hover:underline">
        <bdi>{workflow ?? 'Unnamed workflow'}</bdi>
      </RunLink>
      <bdi className="block text-xs text-muted">
        {repository} {branch}
      </bdi>
    </span>
  );
}
