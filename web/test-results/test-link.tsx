import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { quietLink } from '../runs/quiet-link.ts';

/** A link to the page of a test. */
export function TestLink({
  testId,
  className = quietLink,
  ...rest
}: {
  testId: string;
  className?: string;
  'data-row'?: boolean;
  children: ReactNode;
}) {
  const params = { ...useIntegrationParams(), testId };
  return (
    <Link
      to="/integrations/$integrationId/tests/$testId"
      params={params}
      state={{ isFromList: true }}
      className={className}
      {...rest}
    />
  );
}
