import { getRouteApi } from '@tanstack/react-router';
import { HealthPage } from '../../../health/health-page.tsx';

const route = getRouteApi('/integrations/$integrationId/health');

export function HealthRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <HealthPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onChange={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
    />
  );
}
