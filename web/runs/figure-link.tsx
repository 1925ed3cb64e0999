import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import type { JobFilter } from '#contract/runs/jobs.ts';

const look = 'rounded-xs underline decoration-line-strong underline-offset-3 hover:decoration-current';

interface FigureLinkProps {
  integrationId: string;
  /** The number of rows that the list has, if the link shows it. */
  count: number | undefined;
  children: ReactNode;
}

/** A number with a link to the runs that it counts. */
export function RunsLink({
  integrationId,
  filter,
  count,
  children,
}: FigureLinkProps & { filter: RunFilter }) {
  return (
    <Link
      to="/integrations/$integrationId/runs"
      params={{ integrationId }}
      search={filter}
      data-count={count}
      className={look}
    >
      {children}
    </Link>
  );
}

/** A number with a link to the jobs that it counts. */
export function JobsLink({
  integrationId,
  filter,
  count,
  children,
}: FigureLinkProps & { filter: JobFilter }) {
  return (
    <Link
      to="/integrations/$integrationId/jobs"
      params={{ integrationId }}
      search={filter}
      data-count={count}
      className={look}
    >
      {children}
    </Link>
  );
}
