import { getRouteApi } from '@tanstack/react-router';
import { MetricsPage } from '../../../metrics/metrics-page.tsx';

const route = getRouteApi('/integrations/$integrationId/metrics');

export function MetricsRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <MetricsPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onChange={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
    />
  );
}
