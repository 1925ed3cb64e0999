import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import type { RunPageSearch } from './page/run-page-search.ts';
import { quietLink } from './quiet-link.ts';

/** A link to a run of the integration. */
export function RunLink({
  runId,
  ...rest
}: {
  runId: number;
  search?: RunPageSearch;
  id?: string;
  className?: string;
  children: ReactNode;
}) {
  const params = { ...useIntegrationParams(), runId: String(runId) };
  return (
    <Link to="/integrations/$integrationId/runs/$runId" params={params} className={quietLink} {...rest} />
  );
}
