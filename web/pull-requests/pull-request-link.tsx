import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIntegrationParams } from '../integrations/integration-params.ts';

/** A link to the page of a pull request. */
export function PullRequestLink({
  repository,
  number,
  className = 'text-accent underline',
  isRow = false,
  children,
}: {
  repository: string;
  number: number;
  className?: string;
  /** Keys move the focus between the links of rows. */
  isRow?: boolean;
  children: ReactNode;
}) {
  const params = { ...useIntegrationParams(), number: String(number) };
  return (
    <Link
      to="/integrations/$integrationId/pull-requests/$number"
      params={params}
      search={{ repository }}
      state={{ isFromList: true }}
      className={className}
      {...(isRow && { 'data-row': true })}
    >
      {children}
    </Link>
  );
}
