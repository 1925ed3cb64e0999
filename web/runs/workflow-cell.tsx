import { Link } from '@tanstack/react-router';

/** A workflow on a branch, with a link to one of its runs. */
export function WorkflowCell({
  integrationId,
  runId,
  workflow,
  repository,
  branch,
  isRowLink = false,
}: {
  integrationId: string;
  runId: number;
  workflow: string | null;
  repository: string;
  branch: string | null;
  /** A click anywhere in the row follows the link. */
  isRowLink?: boolean;
}) {
  return (
    <span>
      <Link
        to="/integrations/$integrationId/runs/$runId"
        params={{ integrationId, runId: String(runId) }}
        className={isRowLink ? 'row-link font-medium' : 'font-medium hover:underline'}
      >
        <bdi>{workflow ?? 'Unnamed workflow'}</bdi>
      </Link>
      <bdi className="block text-xs text-muted">
        {repository} {branch}
      </bdi>
    </span>
  );
}
