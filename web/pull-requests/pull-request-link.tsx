import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link to the page of a pull request. */
export function PullRequestLink({
  integrationId,
  repository,
  number,
  className,
  isRow = false,
  children,
}: {
  integrationId: string;
  repository: string;
  number: number;
  className: string;
  /** Keys move the focus between the links of rows. */
  isRow?: boolean;
  children: ReactNode;
}) {
  return (
    <Link
      to="/integrations/$integrationId/pull-requests/$number"
      params={{ integrationId, number: String(number) }}
      search={{ repository }}
      state={{ isFromList: true }}
      className={className}
      {...(isRow && { 'data-row': true })}
    >
      {children}
    </Link>
  );
}
