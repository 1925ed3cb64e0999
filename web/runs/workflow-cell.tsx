import { Link } from '@tanstack/react-router';

/** A workflow on a branch, with a link to one of its runs. */
export function WorkflowCell({
  integrationId,
  runId,
  workflow,
  repository,
  branch,
}: {
  integrationId: string;
  runId: number;
  workflow: string | null;
  repository: string;
  branch: string | null;
}) {
  return (
    <span>
      <Link
        to="/integrations/$integrationId/runs/$runId"
        params={{ integrationId, runId: String(runId) }}
        className="font-medium hover:underline"
      >
        <bdi>{workflow ?? 'Unnamed workflow'}</bdi>
      </Link>
      <bdi className="block text-xs text-muted">
        {repository} {branch}
      </bdi>
    </span>
  );
}
