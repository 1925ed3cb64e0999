import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIntegrationParams } from '../integrations/integration-params.ts';

/** Longer names are no filter of incidents and failures. */
export const longestLinkedName = 255;

/** A link to the page of a workflow. Only the text without both names, or when the server would refuse them. */
export function WorkflowLink({
  repository,
  workflow,
  className,
  children,
}: {
  repository: string;
  workflow: string | null;
  className: string;
  children: ReactNode;
}) {
  const params = useIntegrationParams();
  const isNamed = workflow !== null && workflow !== '' && repository !== '';
  if (!isNamed || Math.max(workflow.length, repository.length) > longestLinkedName)
    return <span className={className.replace('hover:underline', '')}>{children}</span>;
  return (
    <Link
      to="/integrations/$integrationId/workflow"
      params={params}
      search={{ repository, workflow }}
      className={className}
    >
      {children}
    </Link>
  );
}
