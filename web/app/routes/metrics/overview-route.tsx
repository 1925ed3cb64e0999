import { getRouteApi } from '@tanstack/react-router';
import { WaitingForEvents } from '../../../integrations/connect/waiting-for-events.tsx';
import { OverviewPage } from '../../../overview/overview-page.tsx';

const route = getRouteApi('/integrations/$integrationId/overview');

export function OverviewRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const { range = '24h', show } = search;
  const navigate = route.useNavigate();
  return (
    <OverviewPage
      key={integrationId}
      integrationId={integrationId}
      range={range}
      onRange={(chosen) => void navigate({ search: { ...search, range: chosen } })}
      show={show}
      onShow={(chosen) => void navigate({ search: { ...search, show: chosen }, replace: true })}
      waiting={<WaitingForEvents integrationId={integrationId} />}
    />
  );
}
