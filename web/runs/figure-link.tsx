import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import type { JobFilter } from '#contract/runs/jobs.ts';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { quietLink } from './quiet-link.ts';

interface FigureLinkProps<Filter> {
  filter: Filter;
  /** The number of rows that the list has, if the link shows it. */
  count?: number | undefined;
  children: ReactNode;
}

/** A link to the runs that match a filter, for example on their number. */
export function RunsLink({ filter, count, children }: FigureLinkProps<RunFilter>) {
  const params = useIntegrationParams();
  return (
    <Link
      to="/integrations/$integrationId/runs"
      params={params}
      search={filter}
      data-count={count}
      className={quietLink}
    >
      {children}
    </Link>
  );
}

/** The same for jobs. */
export function JobsLink({ filter, count, children }: FigureLinkProps<JobFilter>) {
  const params = useIntegrationParams();
  return (
    <Link
      to="/integrations/$integrationId/jobs"
      params={params}
      search={filter}
      data-count={count}
      className={quietLink}
    >
      {children}
    </Link>
  );
}
