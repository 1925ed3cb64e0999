import { getRouteApi } from '@tanstack/react-router';
import { WaitingForEvents } from '../../integrations/connect/waiting-for-events.tsx';
import { OverviewPage } from '../../overview/overview-page.tsx';

const route = getRouteApi('/integrations/$integrationId/overview');

export function OverviewRoute() {
  const { integrationId } = route.useParams();
  const { range = '24h' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <OverviewPage
      key={integrationId}
      integrationId={integrationId}
      range={range}
      onRange={(chosen) => void navigate({ search: { range: chosen } })}
      waiting={<WaitingForEvents integrationId={integrationId} />}
    />
  );
}
