import { WorkflowLink } from './workflow-link.tsx';

/** A workflow or one of its jobs in a table: its name as a link to the page of the workflow, above where it belongs. */
export function WorkflowName({
  repository,
  workflow,
  job = null,
}: {
  repository: string;
  workflow: string | null;
  job?: string | null;
}) {
  return (
    <>
      <WorkflowLink repository={repository} workflow={workflow} className="font-medium hover:underline">
        <bdi>{job ?? workflow}</bdi>
      </WorkflowLink>
      <bdi dir="ltr" className="block text-xs text-muted">
        {job === null ? repository : `${repository} · ${workflow}`}
      </bdi>
    </>
  );
}
