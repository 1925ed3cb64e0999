import { getRouteApi } from '@tanstack/react-router';
import { IncidentsPage } from '../../../alerts/incidents/incidents-page.tsx';

const route = getRouteApi('/integrations/$integrationId/incidents');

export function IncidentsRoute() {
  const { integrationId } = route.useParams();
  const navigate = route.useNavigate();
  return (
    <IncidentsPage
      key={integrationId}
      integrationId={integrationId}
      search={route.useSearch()}
      onFilter={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
    />
  );
}
