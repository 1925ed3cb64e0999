import { getRouteApi } from '@tanstack/react-router';
import { DeliveriesPage } from '../deliveries/deliveries-page.tsx';

const route = getRouteApi('/integrations/$integrationId/deliveries');

export function DeliveriesRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <DeliveriesPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onSearch={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
    />
  );
}
